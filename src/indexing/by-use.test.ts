import { expect, test } from "bun:test"
import { byUse } from "./by-use.ts"

const file = (path: string, mtimeMs: number) => ({ path, size: 10, mtimeMs, knownHash: null })
const MINUTE = 60_000
const order = (...args: Parameters<typeof byUse>) => byUse(...args).map(({ path }) => path)

test("what was written last comes first, then source, then tests, documents and data", () => {
  const old = ["README.md", "docs/guide.md", "src/app.ts", "src/deep/util.ts", "test/app.test.ts", "zoo.json"]
  // Enough that not everything is recent.
  const bulk = Array.from({ length: 300 }, (_, i) => file(`docs/page${i}.md`, i * MINUTE))
  const files = [...old.map((path) => file(path, 0)), ...bulk, file("docs/now.md", 900 * MINUTE)]
  const found = order(files)
  expect(found.slice(0, 3)).toEqual(["docs/now.md", "docs/page299.md", "docs/page298.md"])
  const rest = found.slice(found.indexOf("src/app.ts"))
  expect(rest.slice(0, 3)).toEqual(["src/app.ts", "src/deep/util.ts", "README.md"])
  expect(found.toSorted()).toEqual(files.map(({ path }) => path).toSorted())
})

test("files of one time keep their order", () => {
  const files = ["a.ts", "b.ts", "c.ts"].map((path) => file(path, 1))
  expect(byUse(files)).toEqual(files)
})

test("in a clone all times are about one, and edits and the last commits tell", () => {
  const names = ["a.ts", "b.md", "c.ts", "d.md", "e.ts", "f.md"]
  const files = names.map((path, i) => file(path, MINUTE + i))
  const use = { edited: new Set(["f.md"]), committed: ["e.ts", "gone.ts", "b.md", "f.md"] }
  expect(order(files, use)).toEqual(["f.md", "e.ts", "b.md", "a.ts", "c.ts", "d.md"])
  files[3] = file("d.md", 9 * MINUTE)
  expect(order(files, use)).toEqual(["f.md", "d.md", "e.ts", "b.md", "a.ts", "c.ts"])
})

test("where everything differs from what was committed, that tells nothing", () => {
  const files = Array.from({ length: 600 }, (_, i) => file(`src/${String(i).padStart(3, "0")}.ts`, 1))
  const use = { edited: new Set(files.map(({ path }) => path)), committed: ["src/500.ts"] }
  expect(order(files, use).slice(0, 2)).toEqual(["src/500.ts", "src/000.ts"])
})
