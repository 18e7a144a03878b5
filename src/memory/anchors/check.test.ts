import { afterAll, describe, expect, test } from "bun:test"
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { commit, GitBox, git, write } from "../../../test/git-repository.ts"
import { captureSource } from "./capture.ts"
import { FRESHNESS, SourceChecker } from "./check.ts"
import type { LocalProject } from "./place.ts"

const box = new GitBox()
afterAll(() => box[Symbol.dispose]())

const CODE = `import { open } from "./open.ts"

/** What is known of a file. */
export function describeFile(path: string): string {
  const file = open(path)
  const words = file.words()
  return words.join(" ")
}

export function countWords(path: string): number {
  return open(path).words().length
}
`
const OTHER = "export const nothing = 0\n".repeat(20)

const first = box.repository("first", { "src/file.ts": CODE, "src/other.ts": OTHER })
let count = 0

/** Captures the source `said` in a new repository, makes the change, and returns the repository and the source's state. */
async function after(
  said: string,
  change: (root: string) => void,
  files: Readonly<Record<string, string>> = {},
) {
  const root = join(box.box, `project-${++count}`)
  cpSync(first, root, { recursive: true })
  for (const [path, text] of Object.entries(files)) write(root, path, text)
  return { root, ...(await stateAfter(root, said, change)) }
}

async function stateAfter(
  root: string,
  said: string,
  change: (root: string) => void,
  more: Partial<LocalProject> = {},
) {
  const place = { root, ownFolders: [], maxFileBytes: 4_000_000, ...more }
  const { source } = await captureSource(place, said)
  change(root)
  return { source, state: await new SourceChecker(place).check(source, 0) }
}

const edit = (root: string, from: string, to: string, path = "src/file.ts") =>
  write(root, path, readFileSync(join(root, path), "utf8").replace(from, to))

describe("fresh", () => {
  test("if the file has not changed, or only elsewhere", async () => {
    for (const said of ["src/file.ts:5", "src/file.ts:4-8", "src/file.ts#describeFile", "src/file.ts"]) {
      expect((await after(said, () => {})).state).toMatchObject({ freshness: "fresh", anchored: null })
    }
    expect((await after("src/file.ts:5", (root) => edit(root, "length", "size"))).state.freshness).toBe(
      "fresh",
    )
  })
  test("if only line ends, indentation or trailing white space changed", async () => {
    const reformatted = CODE.replaceAll("  ", "\t").replaceAll("\n", " \r\n")
    for (const said of ["src/file.ts:5", "src/file.ts#describeFile", "src/file.ts"]) {
      expect((await after(said, (root) => write(root, "src/file.ts", reformatted))).state.freshness).toBe(
        "fresh",
      )
    }
  })
})

describe("lines that a formatter wrapped or joined", () => {
  const PAIR = [
    "export function send(order: Order) {\n  return post(order.id, order.total, { retries: 5, timeout: 30 })\n}\n",
    `export function send(order: Order) {
  return post(
    order.id,
    order.total,
    {
      retries: 5,
      timeout: 30,
    },
  )
}
`,
  ] as const
  const reflowed = async (said: string, [from, to]: readonly [string, string]) =>
    (
      await after(said, (root) => write(root, "src/send.ts", to), {
        "src/send.ts": from,
      })
    ).state
  test("are unchanged, as lines, as a symbol and as a file", async () => {
    const back = [PAIR[1], PAIR[0]] as const
    expect(await reflowed("src/send.ts:2", PAIR)).toMatchObject({
      freshness: "fresh",
      startLine: 2,
      endLine: 9,
    })
    expect(await reflowed("src/send.ts:3-8", back)).toMatchObject({
      freshness: "moved",
      startLine: 2,
      endLine: 2,
    })
    for (const said of ["src/send.ts#send", "src/send.ts"])
      for (const pair of [PAIR, back]) expect((await reflowed(said, pair)).freshness).toBe("fresh")
  })
  test("are changed if a token differs, or if they were commented out", async () => {
    const edited = PAIR[1].replace("30", "60")
    expect((await reflowed("src/send.ts#send", [PAIR[0], edited])).freshness).toBe("changed")
    const commented = "// return post(order.id, order.total, { retries: 5, timeout: 30 })\n"
    expect((await reflowed("src/send.ts:2", [PAIR[0], commented])).freshness).not.toMatch(/fresh|moved/)
  })
})

describe("among functions that look alike", () => {
  const open = (name: string, limit: number) =>
    `export function ${name}(path: string) {\n  const file = read(path)\n  const limit = ${limit}\n  return file.slice(0, limit)\n}\n\n`
  const both = (first: number, second: number) => open("openFirst", first) + open("openSecond", second)
  const state = async (said: string, now: string) =>
    (await after(said, (root) => write(root, "src/open.ts", now), { "src/open.ts": both(5, 5) })).state

  test("an edit of a line is a change, although another function still has the line", async () => {
    expect(await state("src/open.ts:3", both(7, 5))).toMatchObject({ freshness: "changed", startLine: 3 })
    expect(await state("src/open.ts:9", both(5, 7))).toMatchObject({ freshness: "changed", startLine: 9 })
    expect(await state("src/open.ts:9", `// one\n${both(5, 7)}`)).toMatchObject({
      freshness: "changed",
      startLine: 10,
    })
  })
  test("a line is found in its function when two functions change places", async () => {
    const swapped = open("openSecond", 5) + open("openFirst", 5)
    expect(await state("src/open.ts:3", swapped)).toMatchObject({ freshness: "moved", startLine: 9 })
    const edited = open("openSecond", 5) + open("openFirst", 7)
    expect(await state("src/open.ts:3", edited)).toMatchObject({ freshness: "changed", startLine: 9 })
  })
  test("lines that became a new function have moved", async () => {
    const moved =
      "export function openFirst(path: string) {\n  return start(read(path))\n}\n\n" +
      "function start(file: string) {\n  const limit = 5\n  return file.slice(0, limit)\n}\n"
    const { state } = await after("src/open.ts:3-4", (root) => write(root, "src/open.ts", moved), {
      "src/open.ts": open("openFirst", 5),
    })
    expect(state).toMatchObject({ freshness: "moved", startLine: 6, endLine: 7 })
  })
})

describe("moved", () => {
  test("after an edit above", async () => {
    const { state } = await after("src/file.ts:6", (root) => edit(root, "\n\n", "\n// one\n// two\n\n"))
    expect(state).toMatchObject({ freshness: "moved", path: "src/file.ts", startLine: 8, endLine: 8 })
    expect(state.anchored).toMatchObject({ startLine: 8, text: "  const words = file.words()" })
  })
  test("a source that was anchored again is fresh from then on", async () => {
    const { root, state } = await after("src/file.ts#countWords", (root) => edit(root, "import", "\nimport"))
    const again = new SourceChecker({ root, ownFolders: [], maxFileBytes: 1e6 })
    expect(await again.check(state.followed!, 0)).toMatchObject({ freshness: "fresh", anchored: null })
  })
  test("after a committed rename", async () => {
    const { root, state } = await after("src/file.ts:6", (root) => {
      mkdirSync(join(root, "lib"))
      git(root, "mv", "src/file.ts", "lib/describe.ts")
      commit(root, "renamed")
    })
    expect(state).toMatchObject({
      freshness: "moved",
      path: "lib/describe.ts",
      startLine: 6,
      reason: "the file was src/file.ts",
    })
    expect(state.anchored).toMatchObject({ path: "lib/describe.ts", commit: git(root, "rev-parse", "HEAD") })
  })
  test("after a rename that is not committed, and after one without git", async () => {
    const rename = (root: string) => renameSync(join(root, "src/file.ts"), join(root, "src/describe.ts"))
    for (const said of ["src/file.ts:6", "src/file.ts"]) {
      expect((await after(said, rename)).state).toMatchObject({ freshness: "moved", path: "src/describe.ts" })
    }
    const root = box.folder("no-git")
    write(root, "src/file.ts", CODE)
    expect((await stateAfter(root, "src/file.ts#countWords", rename)).state).toMatchObject({
      freshness: "moved",
      path: "src/describe.ts",
    })
  })
  test("after switching to a branch where the file has another name, and back", async () => {
    const { root, source, state } = await after("src/file.ts:6", (root) => {
      git(root, "switch", "-q", "-c", "topic")
      git(root, "mv", "src/file.ts", "src/topic.ts")
      commit(root, "renamed")
    })
    expect(state).toMatchObject({ freshness: "moved", path: "src/topic.ts" })
    git(root, "switch", "-q", "main")
    const checker = new SourceChecker({ root, ownFolders: [], maxFileBytes: 1e6 })
    expect((await checker.check(source, 0)).freshness).toBe("fresh")
    expect(await checker.check(state.followed!, 0)).toMatchObject({ freshness: "moved", path: "src/file.ts" })
  })
  test("in a project that is a folder of its repository", async () => {
    const top = box.repository("top", { "part/src/file.ts": CODE })
    const { state } = await stateAfter(join(top, "part"), "src/file.ts:6", () => {
      git(top, "mv", "part/src/file.ts", "part/file.ts")
      commit(top, "renamed")
    })
    expect(state).toMatchObject({ freshness: "moved", path: "file.ts" })
  })
})

describe("lines are not taken for moved to a file beside", () => {
  const guard = `    return res.status(401).json({ error: "unauthorized" })`
  const orders = `export function orders(req, res) {
  if (!req.user) {
${guard}
  }
  return list(req.user.orders)
}
`
  const invoices = orders.replaceAll("orders", "invoices")

  test("if that file contained them before: they are gone", async () => {
    const root = box.repository("guards", { "src/orders.ts": orders, "src/invoices.ts": invoices })
    const remove = () => write(root, "src/orders.ts", "export const orders = allOrders\n")
    expect((await stateAfter(root, "src/orders.ts:3", remove)).state).toMatchObject({
      freshness: "gone",
      followed: null,
    })
    write(root, "src/orders.ts", orders)
    const state = await stateAfter(root, "src/orders.ts:3", () => rmSync(join(root, "src/orders.ts")))
    expect(state.state.freshness).toBe("gone")
  })
})

describe("changed", () => {
  test("after an edit of the lines and another above them", async () => {
    const { source, state } = await after("src/file.ts:4-8", (root) => {
      edit(root, "file.words()", "file.words().sort()")
      edit(root, "\n\n", "\n// one\n\n")
    })
    expect(state).toMatchObject({ freshness: "changed", startLine: 5, endLine: 9 })
    expect(state.now).toBe(source.text!.replace("words()", "words().sort()"))
    expect(state.anchored?.hash).not.toBe(source.hash)
  })
  test("for a symbol, wherever in its file it is now", async () => {
    const { state } = await after("src/file.ts#describeFile", (root) => {
      const [head, first, second] = CODE.split(/(?=\/\*\*)|(?=export function count)/)
      write(
        root,
        "src/file.ts",
        `${head}${second}\n${first!.replace('join(" ")', 'join("-")').replace("open(path)", "await open(path)")}`,
      )
    })
    expect(state).toMatchObject({ freshness: "changed", startLine: 8, endLine: 12 })
  })
  test("for a symbol that was renamed in its place", async () => {
    const { state } = await after("src/file.ts#describeFile", (root) =>
      edit(root, "describeFile", "describe"),
    )
    expect(state).toMatchObject({ freshness: "changed", startLine: 4, endLine: 8 })
  })
  test("after a rename and an edit, committed together or not at all", async () => {
    const change = (root: string) => {
      git(root, "mv", "src/file.ts", "src/describe.ts")
      edit(root, "file.words()", "file.tokens()", "src/describe.ts")
    }
    const committed = await after("src/file.ts:6", (root) => {
      change(root)
      commit(root, "renamed and edited")
    })
    // The new path is recorded, the lines stay as they were captured.
    expect(committed.state.followed).toEqual({ ...committed.source, path: "src/describe.ts" })
    expect(committed.state).toMatchObject({ freshness: "changed", path: "src/describe.ts", startLine: 6 })
    const moved = await after("src/file.ts:6", (root) => {
      mkdirSync(join(root, "lib"))
      renameSync(join(root, "src/file.ts"), join(root, "lib/file.ts"))
      edit(root, "file.words()", "file.tokens()", "lib/file.ts")
    })
    expect(moved.state).toMatchObject({ freshness: "changed", path: "lib/file.ts", startLine: 6 })
  })
  test("for a whole file", async () => {
    const { state } = await after("src/file.ts", (root) => edit(root, "length", "size"))
    expect(state).toMatchObject({ freshness: "changed", startLine: null, endLine: null })
  })
})

test("lines of which only the hash was kept are fresh, moved or changed as well", async () => {
  const token = `ghp_${"a1B2c3D4e5".repeat(3)}F6g7H8`
  const files = { "src/token.ts": `const a = 1\n\nconst token = "${token}"\nconst b = 2\n` }
  const state = async (said: string, change: (root: string) => void) => {
    const { freshness, startLine, now } = (await after(said, change, files)).state
    return [freshness, startLine, now]
  }
  for (const said of ["src/token.ts:3", "src/token.ts#token"]) {
    expect(await state(said, () => {})).toEqual(["fresh", 3, null])
    expect(await state(said, (root) => edit(root, "const a", "\n\nconst a", "src/token.ts"))).toEqual([
      "moved",
      5,
      null,
    ])
    expect(await state(said, (root) => edit(root, token, "none", "src/token.ts"))).toEqual([
      "changed",
      3,
      'const token = "none"',
    ])
    expect(await state(said, (root) => write(root, "src/token.ts", ""))).toEqual(["gone", 3, null])
  }
})

describe("gone", () => {
  test("if the lines, the definition or the file were deleted", async () => {
    const removed = (root: string) =>
      edit(root, CODE.slice(CODE.indexOf("/**"), CODE.indexOf("export function count")), "")
    for (const said of ["src/file.ts:6", "src/file.ts:4-8", "src/file.ts#describeFile"]) {
      expect((await after(said, removed)).state).toMatchObject({
        freshness: "gone",
        path: "src/file.ts",
        now: null,
      })
    }
    const { state } = await after("src/file.ts:6", (root) => rmSync(join(root, "src/file.ts")))
    expect(state).toMatchObject({ freshness: "gone", reason: "the file does not exist" })
  })
  test("if a symbol moved to another file and was edited: its current place is returned", async () => {
    const root = box.repository("to-other", { "src/file.ts": CODE, "src/other.ts": OTHER })
    const now = { path: "src/other.ts", startLine: 21, endLine: 23 }
    const move = () => {
      const moved = CODE.slice(CODE.indexOf("export function count"))
      edit(root, moved, "")
      write(root, "src/other.ts", OTHER + moved.replace("open(path).words().length", "sum(every(path))"))
    }
    // An index that was made before the move knows the name, but its places are those of the definition before the
    // move.
    const old = [
      { path: "src/file.ts", startLine: 10, endLine: 12 },
      { ...now, startLine: 1 },
    ]
    for (const known of [[now], old]) {
      const findSymbol = (name: string) => (name === "countWords" ? known : [])
      for (const said of ["src/file.ts#countWords", "src/file.ts:11"]) {
        write(root, "src/file.ts", CODE)
        write(root, "src/other.ts", OTHER)
        const { state } = await stateAfter(root, said, move, { findSymbol })
        expect(state).toMatchObject({ freshness: "gone", elsewhere: [now], followed: null })
      }
    }
  })
  test("if a picture takes the place of the file", async () => {
    const { state } = await after("src/file.ts:6", (root) => write(root, "src/file.ts", new Uint8Array(500)))
    expect(state).toMatchObject({ freshness: "gone", reason: "the file is not text" })
  })
  test("although there are copies of a short line", async () => {
    const { state } = await after("src/file.ts:8", (root) => rmSync(join(root, "src/file.ts")), {
      "src/b.ts": "{\n}\n",
    })
    expect(state.freshness).toBe("gone")
  })
  test("if two files contain the lines, so that neither is certain", async () => {
    const { state } = await after("src/file.ts:6", (root) => {
      rmSync(join(root, "src/file.ts"))
      write(root, "src/a.ts", CODE)
      write(root, "src/b.ts", CODE)
    })
    expect(state.freshness).toBe("gone")
  })
})

describe("unknown", () => {
  test("if the project is not open, or its root does not exist", async () => {
    const { root, source } = await after("src/file.ts:6", () => {})
    expect((await new SourceChecker(null).check(source, 0)).freshness).toBe("unknown")
    rmSync(root, { recursive: true })
    const checker = new SourceChecker({ root, ownFolders: [], maxFileBytes: 1e6 })
    expect(await checker.check(source, 0)).toMatchObject({
      freshness: "unknown",
      reason: `${root} does not exist`,
    })
  })
  test.skipIf(process.platform === "win32")("a link out of the root is not followed", async () => {
    writeFileSync(join(box.box, "outside.ts"), CODE)
    const { state } = await after("src/file.ts:6", (root) => {
      rmSync(join(root, "src/file.ts"))
      symlinkSync(join(box.box, "outside.ts"), join(root, "src/file.ts"))
    })
    expect(state).toMatchObject({ freshness: "unknown", now: null })
  })
  test("if no lines were stored", async () => {
    const { state } = await after("src/later.ts:6", (root) => write(root, "src/later.ts", CODE))
    expect(state.freshness).toBe("unknown")
    expect((await after("src/never.ts:6", () => {})).state.freshness).toBe("gone")
  })
  test("a URL is not checked", async () => {
    expect((await after("https://example.org", () => {})).state.freshness).toBe("none")
  })
})

test("finds renames by content without git, with one notice", async () => {
  const root = box.repository("git-missing", { "src/file.ts": CODE })
  const place = { root, ownFolders: [], maxFileBytes: 1e6 }
  const sources = await Promise.all(
    ["src/file.ts:6", "src/file.ts:11"].map((said) => captureSource(place, said)),
  )
  renameSync(join(root, "src/file.ts"), join(root, "src/describe.ts"))
  const path = process.env["PATH"]
  process.env["PATH"] = box.folder("empty")
  try {
    const checker = new SourceChecker(place)
    for (const { source } of sources) expect((await checker.check(source, 0)).freshness).toBe("moved")
    expect(checker.notices).toEqual(["renamed files were searched by content, because git is not installed"])
  } finally {
    process.env["PATH"] = path
  }
})

test("searches a missing source again after a minute", async () => {
  const { root, source } = await after("src/file.ts:6", (root) =>
    renameSync(join(root, "src"), join(box.box, "away")),
  )
  const checker = new SourceChecker({ root, ownFolders: [], maxFileBytes: 1e6 })
  expect((await checker.check(source, 0)).freshness).toBe("gone")
  renameSync(join(box.box, "away"), join(root, "lib"))
  expect((await checker.check(source, 59_000)).freshness).toBe("gone")
  expect(await checker.check(source, 60_000)).toMatchObject({ freshness: "moved", path: "lib/file.ts" })
})

test("any source from another store is checked without an error", async () => {
  const root = join(box.box, "first")
  const checker = new SourceChecker({ root, ownFolders: [], maxFileBytes: 1e6 })
  const line = fc.option(fc.oneof(fc.integer(), fc.constant(1e15)))
  const words = fc.oneof(fc.string(), fc.constantFrom("}", CODE, `${"const x = 1\n".repeat(100_000)}`))
  const source = fc.record({
    path: fc.oneof(
      fc.string(),
      fc.constantFrom("src/file.ts", "none.ts", "../first/src/file.ts", "/etc/hosts", "a\0b", "src"),
    ),
    startLine: line,
    endLine: line,
    symbol: fc.option(fc.constantFrom("describeFile", "x.y::z#", "")),
    hash: fc.option(fc.constant("0".repeat(16))),
    text: fc.option(words),
    commit: fc.option(fc.constantFrom("--output=x", "0".repeat(40), "HEAD")),
    context: fc.record({
      before: fc.array(words),
      after: fc.array(words),
      within: fc.option(fc.constant("countWords")),
    }),
  })
  await fc.assert(
    fc.asyncProperty(source, async (wild) => {
      expect(FRESHNESS).toContain((await checker.check(wild, 0)).freshness)
    }),
    { numRuns: 200, seed: 3 },
  )
})
