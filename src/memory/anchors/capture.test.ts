import { afterAll, expect, test } from "bun:test"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { GitBox, git, write } from "../../../test/git-repository.ts"
import { readEvent } from "../log/event.ts"
import { captureSource } from "./capture.ts"
import type { LocalProject } from "./place.ts"

const CODE = `import { x } from "x"

export class Store {
  open(path: string) {
    return x(path)
  }
}

export function open() {
  return new Store()
}
`
const box = new GitBox()
const root = box.repository("project", {
  "src/store.ts": CODE,
  "src/only.ts": "a\n",
  "pkg/inner/deep.ts": "deep\n",
  "one/twice.ts": "1\n",
  "two/twice.ts": "2\n",
  "ab:12": "colon\n",
  "my file.ts": "first\n\nthird\n",
  ".env": "TOKEN=x\n",
})
writeFileSync(join(box.box, "outside.ts"), "outside\n")
symlinkSync(box.box, join(root, "up"))
symlinkSync("src", join(root, "in"))
write(root, "picture.png", new Uint8Array(100))
write(root, "own/lock.db", "ours\n")
mkdirSync(join(root, "empty"))
afterAll(() => box[Symbol.dispose]())

const place: LocalProject = { root, ownFolders: [join(root, "own")], maxFileBytes: 2_000_000 }
const capture = (text: string, other: Partial<LocalProject> = {}) =>
  captureSource({ ...place, ...other }, text)

test("path:line captures the line, the lines around, its definition and the commit", async () => {
  expect(await capture("src/store.ts:5")).toEqual({
    source: {
      path: "src/store.ts",
      startLine: 5,
      endLine: 5,
      symbol: null,
      hash: expect.stringMatching(/^[0-9a-f]{16}$/),
      text: "    return x(path)",
      commit: git(root, "rev-parse", "HEAD"),
      context: {
        before: ['import { x } from "x"', "export class Store {", "open(path: string) {"],
        after: ["}", "}", "export function open() {"],
        within: "Store.open",
      },
    },
    notice: null,
  })
})

test("captures a range, a whole file, a symbol, and the symbol nearest to a line", async () => {
  const range = async (text: string) => {
    const { source } = await capture(text)
    return [source.path, source.startLine, source.endLine, source.symbol]
  }
  expect(await range("src/store.ts:8-11")).toEqual(["src/store.ts", 9, 11, null])
  expect(await range("src/store.ts")).toEqual(["src/store.ts", null, null, null])
  expect(await range("src/store.ts#Store")).toEqual(["src/store.ts", 3, 7, "Store"])
  expect(await range("src/store.ts#Store.open")).toEqual(["src/store.ts", 4, 6, "Store.open"])
  expect(await range("src/store.ts:10#open")).toEqual(["src/store.ts", 9, 11, "open"])
})

test("reports several definitions of a name, unless the others are values or overloads", async () => {
  expect(await capture("src/store.ts#open")).toMatchObject({
    source: { path: "src/store.ts", startLine: null, hash: null },
    notice: "src/store.ts defines open in lines 4, 9: choose one of them, such as src/store.ts:4#open",
  })
  write(root, "src/limit.ts", LIMIT)
  const lines = async (text: string) => {
    const { source, notice } = await capture(text)
    return [source.startLine, source.endLine, notice]
  }
  expect(await lines("src/limit.ts#limit")).toEqual([4, 6, null])
  expect(await lines("src/limit.ts:2#limit")).toEqual([2, 2, null])
  expect(await lines("src/limit.ts#parse")).toEqual([9, 11, null])
})

const LIMIT = `export interface Options {
  limit: number
}
export function limit(options: Options) {
  return options.limit
}
export function parse(text: string): number
export function parse(text: number): number
export function parse(text: unknown): number {
  return Number(text)
}
`

test("captures the same file for every spelling of its path", async () => {
  const spelled = [
    "./src/store.ts:5",
    "src//store.ts:5",
    join(root, "src/store.ts:5"),
    "in/store.ts:5",
    "src\\store.ts:5",
  ]
  for (const text of spelled)
    expect((await capture(text)).source).toMatchObject({ path: "src/store.ts", startLine: 5 })
  expect((await capture("my file.ts:2")).source).toMatchObject({
    path: "my file.ts",
    startLine: 3,
    text: "third",
  })
  expect((await capture("ab:12")).source).toMatchObject({ path: "ab:12", startLine: null, text: "colon" })
})

test("finds a file in a subfolder if only one has the name", async () => {
  expect((await capture("inner/deep.ts:1")).source).toMatchObject({ path: "pkg/inner/deep.ts", text: "deep" })
  expect(await capture("twice.ts:1")).toMatchObject({
    source: { path: "twice.ts", hash: null },
    notice: "no file twice.ts:1 in the root, but one/twice.ts, two/twice.ts: choose one of them",
  })
})

const REFUSED: readonly (readonly [string, string])[] = [
  ["none.ts:3", "no file none.ts:3 in the project"],
  ["src/store.ts:99", "src/store.ts has 11 lines; line 99 does not exist"],
  ["src/store.ts#close", "src/store.ts does not define close"],
  ["../outside.ts:1", "../outside.ts:1 is not stored: outside the project"],
  ["up/outside.ts:1", "up/outside.ts:1 is not stored: outside the project"],
  ["/etc/hosts:1", "/etc/hosts:1 is not stored: outside the project"],
  [".env:1", ".env:1 is not stored: may hold secrets"],
  [".git/config", ".git/config is not stored: may hold secrets"],
  ["own/lock.db", "own/lock.db is not stored: may hold secrets"],
  ["picture.png", "picture.png is not stored: not text"],
  ["src", "src is not stored: not text"],
]
test.each(REFUSED)("%s is stored as typed, without any of its text", async (text, notice) => {
  const { source, ...rest } = await capture(text)
  expect(source).toMatchObject({ hash: null, text: null, commit: null })
  expect(source.context).toBeUndefined()
  expect(rest).toEqual({ notice })
})

test("stores a URL and the source of an entry without a project as text", async () => {
  expect(await capture("https://example.org/a:12#x")).toMatchObject({
    source: { path: "https://example.org/a:12#x" },
    notice: null,
  })
  const { source, notice } = await captureSource(null, join(root, "src/store.ts:5"))
  expect(source).toMatchObject({ path: join(root, "src/store.ts"), startLine: 5, hash: null })
  expect(notice).toContain("no project")
})

test("stores at most MAX_LINES lines of a long range", async () => {
  write(root, "long.txt", Array.from({ length: 5000 }, (_, i) => `this is line ${i} of many`).join("\n"))
  const { source } = await capture("long.txt:1-4000")
  expect(source.endLine).toBe(4000)
  expect(source.text!.split("\n").length).toBe(80)
  write(root, "huge.js", "x=1;".repeat(300_000))
  expect((await capture("huge.js:1")).source.text!.length).toBeLessThan(500)
})

test("takes definitions from the index when it has them", async () => {
  const definitionsOf = () => [{ name: "known", kind: "method", owner: "Index", startLine: 4, endLine: 6 }]
  const { source } = await capture("src/store.ts:5", { definitionsOf })
  expect(source.context?.within).toBe("Index.known")
})

test("stores only the hash of lines that contain a credential or are next to one", async () => {
  const token = `ghp_${"a1B2c3D4e5".repeat(3)}F6g7H8`
  write(root, "src/token.ts", `export const a = 1\nexport const token = "${token}"\nexport const b = 2\n`)
  for (const said of ["src/token.ts:1", "src/token.ts:2", "src/token.ts", "src/token.ts#token"]) {
    const { source, notice } = await capture(said)
    expect(JSON.stringify(source)).not.toContain(token)
    expect(source).toMatchObject({ text: null, hash: expect.any(String) })
    expect(notice).toContain("looks like a credential")
  }
})

test("a captured source is valid in an export", async () => {
  const { source } = await capture("src/store.ts:5")
  const id = "0".repeat(20)
  const event = { id, at: "2026-01-01T00:00:00.000Z", subject: id, change: { type: "anchored", source } }
  expect(readEvent(event)).toEqual(expect.objectContaining({ id: event.id }))
})
