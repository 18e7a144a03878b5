import { afterAll, beforeAll, expect, test } from "bun:test"
import fc from "fast-check"
import { SHOP } from "../../test/e2e/sample.ts"
import { TempProject } from "../../test/temp-project.ts"
import { releaseKept } from "../store/index/store.ts"
import { loadTokenizer } from "../text/tokenizer.ts"
import { type ContextBundle, type ContextRequest, contextText } from "./bundle.ts"
import { contextOf } from "./context-project.ts"

const WILD = {
  ...SHOP,
  "src/emoji.ts": `// ${"🛒カート".repeat(200)}\nexport const basket = "${"🛒".repeat(500)}"\n`,
  [`${"very/".repeat(40)}deep.ts`]: "export function basketTotal() {\n  return 1\n}\n",
  "notes.md": `# Basket\n\n${'a basket with \\ and " and ` and ``` in it '.repeat(2000)}\n`,
}
const ALL: Omit<ContextRequest, "query" | "maxTokens"> = {
  paths: [],
  related: true,
  tests: true,
  memories: true,
}

let space: TempProject
beforeAll(async () => {
  space = new TempProject(WILD)
  await space.index()
})
afterAll(() => space[Symbol.dispose]())

test("no answer exceeds its token budget, for any request", async () => {
  const project = space.open()
  const count = await loadTokenizer()
  const words = [
    "basket",
    "refund",
    "payment",
    "total",
    "deep",
    "カート",
    "🛒",
    "```",
    '"\\"',
    "how does",
    "Ledger",
  ]
  const query = fc.oneof(
    fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 8 }).map((parts) => parts.join(" ")),
    fc.string({ minLength: 1, maxLength: 200, unit: "binary" }),
  )
  const budget = fc.oneof(fc.integer({ min: 500, max: 1500 }), fc.integer({ min: 500, max: 100_000 }))
  const request = fc.record({
    query,
    maxTokens: budget,
    maxFiles: fc.option(fc.integer({ min: 1, max: 50 }), { nil: undefined }),
    related: fc.boolean(),
    tests: fc.boolean(),
  })
  const notes = async () => Array.from({ length: 5 }, (_, i) => `remembered: ${"a note ".repeat(30)}${i}`)
  await fc.assert(
    fc.asyncProperty(request, fc.boolean(), async (asked, isKnown) => {
      const memories = isKnown ? notes : null
      const bundle = await contextOf(project, { ...ALL, ...asked }, { refresh: false, memories })
      expect(count(contextText(bundle))).toBeLessThanOrEqual(asked.maxTokens)
      expect(bundle.tokens).toBe(count(contextText(bundle)))
      expect(bundle.files.length).toBeLessThanOrEqual(asked.maxFiles ?? Number.POSITIVE_INFINITY)
      const paths = bundle.files.map(({ path }) => path)
      expect(new Set(paths).size).toBe(paths.length)
    }),
    { numRuns: 60 },
  )
})

test("a larger budget shows every line and names every file that a smaller one does", async () => {
  const project = space.open()
  const query = fc
    .array(fc.constantFrom("basket", "refund", "payment", "total", "deep", "Ledger", "order"), {
      minLength: 1,
      maxLength: 6,
    })
    .map((parts) => parts.join(" "))
  const budgets = fc.tuple(fc.integer({ min: 500, max: 3000 }), fc.integer({ min: 1, max: 3000 }))
  await fc.assert(
    fc.asyncProperty(query, budgets, async (asked, [less, more]) => {
      const shownIn = async (maxTokens: number) =>
        shown(await contextOf(project, { ...ALL, query: asked, maxTokens }, NOT_REFRESHED))
      const [small, large] = [await shownIn(less), await shownIn(less + more)]
      const lost = [...small].filter((each) => !large.has(each))
      // Names of files also take tokens that are left over. A slightly larger budget may spend those on code,
      // so that only lines of code are compared if the budgets differ little.
      expect(more > less * 0.6 ? lost : lost.filter((each) => each.includes(":"))).toEqual([])
    }),
    { numRuns: 40 },
  )
})

/** The paths of a bundle, and the lines of code by path and number. */
function shown({ files }: ContextBundle): Set<string> {
  const all = new Set<string>()
  for (const { path, snippets } of files) {
    all.add(path)
    for (const { lines, why } of snippets) {
      if (/^what |^tests of |^recent /.test(why)) continue
      const [start, end] = lines.split("-").map(Number)
      for (let line = start!; line <= end!; line++) all.add(`${path}:${line}`)
    }
  }
  return all
}

test("shows the matching part of a long function below its signature", async () => {
  const filler = Array.from({ length: 100 }, (_, i) => (i % 10 === 9 ? "" : `  step(${i})`))
  const lines = [
    "export function settle(order) {",
    ...filler,
    "  const levy = roundLevy(order)",
    ...filler,
    "}",
  ]
  using project = new TempProject({ "src/settle.ts": `${lines.join("\n")}\n` })
  await project.index()
  const request = { ...ALL, query: "levy rounded up", maxTokens: 700 }
  const { files } = await contextOf(project.open(), request, NOT_REFRESHED)
  const [{ text, why }] = files[0]!.snippets as [(typeof files)[0]["snippets"][0]]
  expect(text).toStartWith("export function settle(order)")
  expect(text.split("\n")[1]).toBe("…")
  expect(text).toContain("  const levy = roundLevy(order)\n")
  expect(why).toEndWith(`part of 1-${lines.length}`)
})

test("shows functions without a word of a task after those with one, but not for a question", async () => {
  const functions = ["settleLevy", "roundUp", "shipParcel"].map(
    (name) => `export function ${name}(value: number) {\n${"  value += 1\n".repeat(12)}  return value\n}\n`,
  )
  using project = new TempProject({ "src/money.ts": functions.join("\n") })
  await project.index()
  const bundleOf = (query: string, maxTokens: number) =>
    contextOf(project.open(), { ...ALL, query, maxTokens }, NOT_REFRESHED)
  const textOf = ({ files }: ContextBundle) => files[0]!.snippets.map(({ text }) => text).join("\n")
  const task = "fix: the levy is not settled"
  expect(textOf(await bundleOf(task, 500))).toContain("settleLevy")
  const whole = textOf(await bundleOf(task, 2000))
  for (const name of ["settleLevy", "roundUp", "shipParcel"]) expect(whole).toContain(name)
  expect(textOf(await bundleOf("settle the levy", 2000))).not.toContain("shipParcel")
})

test("source code comes before tests and documents with the same words", async () => {
  const words = "// the refund of a payment\n"
  using project = new TempProject({
    "docs/refund.md": "# Refund\n\nThe refund of a payment, and the payment of a refund.\n",
    "test/refund.test.ts": `${words}test("refund a payment", () => {\n  refund(payment)\n})\n`,
    "src/refund.ts": `${words}export function refund(payment: number) {\n  return -payment\n}\n`,
  })
  await project.index()
  const request = { ...ALL, query: "Refund of a payment is not rounded", maxTokens: 1000 }
  const { files } = await contextOf(project.open(), request, NOT_REFRESHED)
  expect(files[0]!.path).toBe("src/refund.ts")
})

test("returns an overview within the budget if there is no task", async () => {
  const project = space.open()
  const count = await loadTokenizer()
  for (const maxTokens of [500, 1000, 5000]) {
    const bundle = await contextOf(project, { ...ALL, query: " ", maxTokens }, NOT_REFRESHED)
    expect(bundle.summary).toContain("## Folders")
    expect(count(contextText(bundle))).toBeLessThanOrEqual(maxTokens)
  }
})

test("shows the code, and the reason why the memories cannot be read", async () => {
  const { AmanError } = await import("../base/errors.ts")
  const memories = () => Promise.reject(new AmanError("IO", "the disk is gone"))
  const bundle = await contextOf(
    space.open(),
    { ...ALL, query: "RefundPayment", maxTokens: 1000 },
    { refresh: false, memories },
  )
  expect(bundle.files[0]!.path).toBe("billing/refund.go")
  expect(bundle.hints[0]).toBe("memories are left out: the disk is gone")
})

const NOT_REFRESHED = { refresh: false, memories: null } as const

test("gives the same answer after a server has released what it kept about the project", async () => {
  const project = space.open()
  const asked = { ...ALL, query: "where are refunds of a basket paid", maxTokens: 8_000 }
  const ask = () => contextOf(project, asked, { refresh: false, memories: null })
  const first = await ask()
  let cleared = 0
  project.reader()!.store.kept({}, () => ({ clear: () => cleared++ }))
  releaseKept()
  expect(cleared).toBe(1)
  expect(first.files.length).toBeGreaterThan(1)
  expect(await ask()).toEqual(first)
})

test("shows the named lines of a long log first, nearest to the error first, without those of packages", async () => {
  const log = "2026-03-01T10:10:10Z INFO refund of payment in ledger took 12 ms\n".repeat(160)
  const trace = [
    "TypeError: undefined is not an object",
    "    at hash (/srv/shop/node_modules/hash/web/hash.ts:2:9)",
    "    at LoginForm.submit (/srv/shop/web/login.ts:12:5)",
    "    at refund (/srv/shop/billing/refund.go:15:1)",
  ].join("\n")
  const request = { ...ALL, query: `${log}${trace}\n${log}`, maxTokens: 600 }
  const { files } = await contextOf(space.open(), request, { refresh: false, memories: null })
  expect(files.slice(0, 2).map(({ path }) => path)).toEqual(["web/login.ts", "billing/refund.go"])
  expect(files[0]!.snippets[0]!.text).toContain("submit(name: string")
  expect(files[1]!.snippets[0]!.text).toContain("RefundPayment(id string)")
})
