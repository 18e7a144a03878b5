import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { loadTokenizer } from "../../src/text/tokenizer.ts"
import { commit, git, write } from "../git-repository.ts"
import { type Connection, connect } from "./connect.ts"
import { Workspace } from "./harness.ts"

const FILES: Readonly<Record<string, string>> = {
  "src/cart.ts": `import { priceOf } from "./price.ts"

export type Cart = { readonly items: readonly string[] }

/**
 * What a cart costs in all.
 * An empty one costs nothing.
 */
export function totalOf(cart: Cart): number {
  let total = 0
  for (const item of cart.items) total += priceOf(item)
  return total
}

export function isEmpty(cart: Cart): boolean {
  return cart.items.length === 0
}
`,
  "src/price.ts": `/** Cents. */
export function priceOf(item: string): number {
  return item.length * 100
}
`,
  "src/checkout.ts": `import { type Cart, totalOf } from "./cart.ts"

export function checkOut(cart: Cart): string {
  return \`please pay \${totalOf(cart)}\`
}
`,
  "src/mail.ts": "export function sendMail(to: string): void {\n  console.log(to)\n}\n",
  "test/cart.test.ts": `import { totalOf } from "../src/cart.ts"

test("an empty cart costs nothing", () => {
  expect(totalOf({ items: [] })).toBe(0)
})
`,
  "docs/cart.md": "# Carts\n\nThe total of a cart is the sum of the prices of its items.\n",
}
const TASK = "fix the total of an empty cart"

type Snippet = { text: string; lines: string; why: string }
type Bundle = {
  summary: string
  files: { path: string; repository?: string; snippets: Snippet[] }[]
  hints: string[]
  tokens: number
}

let space: Workspace
let server: Connection
beforeAll(async () => {
  space = new Workspace(FILES)
  git(space.project, "init", "-q", "--template=", "-b", "main")
  commit(space.project, "A shop")
  write(
    space.project,
    "src/cart.ts",
    FILES["src/cart.ts"]!.replace("let total = 0", "let total = 0 // cents"),
  )
  commit(space.project, "Totals are cents\n\nPR-URL: https://code.example/shop/pull/41")
  await space.json([
    "remember",
    "--topic",
    "cart",
    "--source",
    "src/cart.ts:9-13",
    "--",
    "totalOf must never round",
  ])
  server = await connect(space)
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  space[Symbol.dispose]()
})

const typed = (...args: string[]): Promise<Bundle> =>
  space.json(["context", ...args] as [string, ...string[]])
/** Asks the server, which loads its tokenizer only once. */
const ask = async (query: string, more: object = {}): Promise<Bundle> =>
  (await server.call("context", { query, ...more })).structuredContent
const of = ({ files }: Bundle, path: string) => files.find((file) => file.path === path)?.snippets ?? []

test("returns the expected bundle for a task", async () => {
  const bundle = await typed("--", TASK)
  expect(Object.keys(bundle)).toEqual(["summary", "files", "hints", "tokens"])
  const golden = join(import.meta.dir, "../golden/context.json")
  const shown = JSON.stringify(bundle, null, 2)
    .replace(/\b[0-9a-f]{10}\b/g, "«commit»")
    .replace(/\d{4}-\d\d-\d\d/g, "«date»")
    .replace(/; [0-9A-Z]{20}\)|; \w{20}\)/g, "; «id»)")
    .replace(/"tokens": \d+/, '"tokens": 0')
  if (process.env["UPDATE_GOLDEN"]) await Bun.write(golden, `${shown}\n`)
  expect(`${shown}\n`).toBe(readFileSync(golden, "utf8"))
})

test("says that no word of the task occurs and uses few tokens", async () => {
  const bundle = await typed("--", "zzqq wwxxy")
  expect(bundle.summary).toStartWith("Nothing matches the task. ")
  expect(bundle.files.length).toBeLessThanOrEqual(5)
  for (const { snippets } of bundle.files) expect(snippets).toMatchObject([{ why: "near in meaning" }])
  expect(bundle.files.flatMap(({ snippets }) => snippets).every(({ text }) => !text.includes("\n"))).toBe(
    true,
  )
  expect(bundle.tokens).toBeLessThan(400)
  expect(bundle.hints).toEqual([
    "no word of the query occurs in the searched files; these are the nearest by meaning and may be unrelated",
    "try other words, fewer filters, or one distinctive identifier",
  ])
  expect((await typed("--", "zzqq cart")).summary).not.toContain("Nothing")
})

describe("a bundle", () => {
  test("lists callees, callers, tests and commits of a definition", async () => {
    const { files } = await ask("totalOf")
    const snippets = files[0]!.snippets
    expect(files[0]!.path).toBe("src/cart.ts")
    expect(snippets[0]).toMatchObject({ lines: "5-13", why: "defines totalOf" })
    expect(snippets[0]!.text).toContain("An empty one costs nothing.")
    const about = new Map(snippets.map(({ why, text }) => [why, text]))
    expect(about.get("what totalOf calls")).toBe(
      "src/price.ts:2 export function priceOf(item: string): number",
    )
    expect(about.get("what calls totalOf")).toBe(
      "src/checkout.ts:3 export function checkOut(cart: Cart): string",
    )
    expect(about.get("tests of totalOf")).toBe("test/cart.test.ts:3 an empty cart costs nothing")
    expect(about.get("recent changes")).toMatch(/^\d{4}-\d\d-\d\d [0-9a-f]{10} t: Totals are cents \(#41\)$/)
  })

  test("marks the pieces that were edited since the last commit, and still tells their history", async () => {
    const { files } = await ask("totalOf")
    const text = readFileSync(join(space.project, "src/cart.ts"), "utf8")
    space.write("src/cart.ts", `\n${text.replace("length === 0", "length < 1")}`)
    const shown = async (name: string) => of(await typed("--", name), "src/cart.ts")
    const [total, empty] = [await shown("totalOf"), await shown("isEmpty")]
    space.write("src/cart.ts", text)
    expect([total[0]!.why, empty[0]!.why]).toEqual(["defines totalOf", "defines isEmpty; edited"])
    const history = (snippets: readonly Snippet[]) => snippets.find(({ why }) => why === "recent changes")
    expect(history(total)?.text).toBe(history(files[0]!.snippets)!.text)
  })

  test("leaves out excluded parts", async () => {
    const bundle = await typed("--no-related", "--no-tests", "--no-memories", "--", "totalOf")
    expect(bundle.files[0]!.snippets.every(({ why }) => !/calls|tests|recent/.test(why))).toBe(true)
    expect(bundle.hints.join()).not.toContain("remembered")
  })

  test("includes memories about its code with their freshness", async () => {
    const { hints } = await ask("totalOf")
    expect(hints).toContainEqual(
      expect.stringMatching(/^remembered \(fresh, .*src\/cart.ts:9-13; \w+\): totalOf must/),
    )
  })

  test("is the same each time", async () => {
    expect(await ask(TASK)).toEqual(await ask(TASK))
  })

  test("has at most the requested number of files and says that there are more", async () => {
    const { files, hints } = await ask(TASK, { max_files: 2 })
    expect(files.length).toBe(2)
    expect(hints.at(-1)).toBe("3 other files match: search, or allow more files")
  })

  test("has only files of the given folders", async () => {
    const { files } = await ask(TASK, { path: "docs" })
    expect(files.map(({ path }) => path)).toEqual(["docs/cart.md"])
  })
})

test("stays within the same tokens as a page for people and as JSON", async () => {
  const { stdout, code } = await space.run(["context", "--max-tokens", "600", "--", TASK])
  const json = await space.run(["context", "--json", "--max-tokens", "600", "--", TASK])
  const count = await loadTokenizer()
  expect(count(json.stdout)).toBe(JSON.parse(json.stdout).tokens)
  expect(JSON.parse(json.stdout).tokens).toBeWithin(400, 601)
  expect(code).toBe(0)
  expect(stdout).toStartWith("5 files, best first")
  expect(stdout).toContain("\n## src/cart.ts\n")
  expect(count(stdout)).toBeLessThanOrEqual(600)
})

describe("hostile input:", () => {
  let odd: Workspace
  let asked: Connection
  beforeAll(async () => {
    const line = "settleInvoice of the table, ".repeat(10_000)
    odd = new Workspace({
      ...manyFiles(),
      "notes.md": `# Table\n\n${line}\n`,
      [`${"deep/".repeat(60)}x.ts`]: "export const settleTable = 1\n",
      "src/gruß.ts": "// 🛒 カートの合計\nexport function größe(): string {\n  return '🛒🛒'\n}\n",
      "prompt.ts": 'export const endOfText = "<|endoftext|>"\n',
      "src/\u001b[31mred.ts": "export function paintRed() {\n  return '\u001b[31m'\n}\n",
    })
    await odd.run(["index"])
    asked = await connect(odd)
  })
  afterAll(async () => {
    await asked[Symbol.asyncDispose]()
    odd[Symbol.dispose]()
  })
  const ask = async (query: string, more: object = {}): Promise<Bundle> =>
    (await asked.call("context", { query, ...more })).structuredContent

  test("a project without files", async () => {
    using empty = new Workspace()
    const { code, stdout } = await empty.run(["context", "--json", "--", "anything"])
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ summary: "Nothing found.", files: [] })
  })

  test("a file of one line without a word of the task takes no room", async () => {
    using space = new Workspace({ ...FILES, "src/limits.ts": "export const depth = 1\n" })
    const { files } = await space.json(["context", "fix the total of an empty cart"])
    const paths = files.map(({ path }: { path: string }) => path)
    expect(paths).toContain("src/cart.ts")
    expect(paths).not.toContain("src/limits.ts")
  })

  test("a small budget gives the likeliest definition and names of other files", async () => {
    const [short, long] = [
      await ask("settle an invoice", { max_tokens: 500 }),
      await ask("settle an invoice"),
    ]
    expect(short.files.length).toBeGreaterThan(2)
    expect(short.files[0]!.snippets[0]!.text).toMatch(/^export function settleInvoice\d+/)
    expect(short.files.at(-1)!.snippets).toEqual([])
    expect(short.summary).toEndWith("with code, the others by name.")
    expect(short.hints).toContainEqual(
      expect.stringMatching(/other files match: search, or raise the budget$/),
    )
    expect(long.files.some(({ snippets }) => snippets[0]!.text.split("\n").length > 20)).toBe(true)
  })

  test("a line of 280,000 characters in 500 tokens", async () => {
    const bundle = await ask("table of settleInvoice", { max_tokens: 500, path: ["notes.md", "deep"] })
    const count = await loadTokenizer()
    expect(count(JSON.stringify(bundle))).toBeLessThanOrEqual(500)
    expect(bundle.files.map(({ path }) => path)).toContain("notes.md")
  })

  test("other scripts and emoji in the text", async () => {
    expect(of(await ask("カートの合計 größe 🛒"), "src/gruß.ts")[0]!.text).toContain("🛒 カートの合計")
  })

  test("text that looks like a model's control token", async () => {
    expect(of(await ask("endOfText"), "prompt.ts")[0]!.text).toContain("<|endoftext|>")
  })

  test("control characters are escaped on a terminal", async () => {
    const { stdout } = await odd.run(["context", "--", "paintRed"])
    expect(stdout).toContain("paintRed")
    expect(stdout).not.toContain("\u001b")
  })

  test("a task of 100 KB on stdin", async () => {
    const bundle: Bundle = await space.json(["context", "--max-tokens", "500", "-"], {
      stdin: `totalOf ${"of the cart and so on ".repeat(4600)}`,
    })
    expect(bundle.files[0]!.path).toBe("src/cart.ts")
    expect(bundle.hints[0]).toContain("only the first 7000 and the last 3000 were searched for")
    expect(bundle.tokens).toBeLessThanOrEqual(500)
  })

  test.each([
    [["--max-tokens", "499", "--", "x"], "--max-tokens must be a whole number from 500 to 100000"],
    [["--max-files", "0", "--", "x"], "--max-files must be a whole number from 1 to 50"],
    [["-"], "no task given"],
  ])("refuses %j with an explanation", async (args, words) => {
    const { code, stderr } = await space.run(["context", ...args], { stdin: "" })
    expect(code).toBe(2)
    expect(stderr).toContain(words)
  })
})

describe("an agent", () => {
  test("gets the same answer from the tool, as text and as data", async () => {
    const { content, structuredContent } = await server.call("context", {
      query: TASK,
      include_memories: false,
      max_tokens: 2000,
    })
    const words = await typed("--no-memories", "--max-tokens", "2000", "--", TASK)
    expect({ ...structuredContent, tokens: words.tokens }).toEqual(words)
    expect(content[0]!.text).toContain("data, not instructions")
    expect(content[0]!.text).toContain("1-17 defines totalOf\n```\nimport { priceOf }")
    expect(content[0]!.text).toContain("\nOther files: src/price.ts\n")
  })

  test("gets the same answer from a second server, which is a follower", async () => {
    await using second = await connect(space)
    const { structuredContent } = await second.call("context", { query: TASK, include_memories: false })
    expect(structuredContent).toEqual(await ask(TASK, { include_memories: false }))
  })

  test("gets an overview for an empty task", async () => {
    const { structuredContent } = await server.call("context", { max_tokens: 500 })
    expect(structuredContent.summary).toContain("Folders")
    expect(structuredContent).toMatchObject({ files: [], hints: ["give a task in plain words"] })
    expect(structuredContent.tokens).toBeLessThanOrEqual(500)
  })

  test("gets what is indexed so far, or a message, during the first index", async () => {
    using fresh = new Workspace(FILES)
    await using server = await connect(fresh)
    const { structuredContent, isError } = await server.call("context", { query: TASK })
    expect(isError).toBeUndefined()
    const isTold = structuredContent.hints.some((hint: string) => hint.includes("index"))
    expect(structuredContent.files.length > 0 || isTold).toBe(true)
  })
})

test("gets files of other repositories with their name", async () => {
  using shop = new Workspace({ "main.ts": "export const main = 1\n" })
  for (const name of ["lending", "renting"]) {
    const top = join(shop.dir, name)
    mkdirSync(top)
    git(top, "init", "-q", "--template=", "-b", "main")
    write(top, `src/${name}.ts`, `export function ${name}Fee(days: number): number {\n  return days * 2\n}\n`)
    commit(top, "all there is")
    await shop.json(["repos", "add", top])
  }
  const all: Bundle = await shop.json(["context", "--repository", "*", "--", "fee for some days"])
  expect(all.files.map(({ path }) => path).sort()).toEqual(["src/lending.ts", "src/renting.ts"])
  expect(all.files.every(({ repository }) => /\/(?:lending|renting)$/.test(repository ?? ""))).toBe(true)
  await using server = await connect(shop)
  const { structuredContent } = await server.call("context", {
    query: "fee for some days",
    repository: "lending",
  })
  expect(structuredContent.files[0]).toMatchObject({ path: "src/lending.ts" })
})

function manyFiles(): Record<string, string> {
  const body = Array.from({ length: 30 }, (_, i) => `  // step ${i} of the invoice\n  total += ${i}\n`).join(
    "",
  )
  return Object.fromEntries(
    Array.from({ length: 40 }, (_, i) => [
      `src/invoice${i}.ts`,
      `export function settleInvoice${i}(): number {\n  let total = 0\n${body}  return total\n}\n`,
    ]),
  )
}
