import { expect, test } from "bun:test"
import { byUse } from "./by-use.ts"

const file = (path: string, mtimeMs: number) => ({ path, size: 10, mtimeMs, knownHash: null })

test("what was written last comes first, then source, then tests, documents and data", () => {
  const old = ["README.md", "docs/guide.md", "src/app.ts", "src/deep/util.ts", "test/app.test.ts", "zoo.json"]
  // Enough that not everything is recent.
  const bulk = Array.from({ length: 300 }, (_, i) => file(`docs/page${i}.md`, 2_000 + i))
  const files = [...old.map((path) => file(path, 1_000)), ...bulk, file("docs/now.md", 9_000)]
  const order = byUse(files).map(({ path }) => path)
  expect(order.slice(0, 3)).toEqual(["docs/now.md", "docs/page299.md", "docs/page298.md"])
  const rest = order.slice(256)
  expect(rest.slice(0, 3)).toEqual(["src/app.ts", "src/deep/util.ts", "README.md"])
  expect(order.toSorted()).toEqual(files.map(({ path }) => path).toSorted())
})

test("files of one time keep their order", () => {
  const files = ["a.ts", "b.ts", "c.ts"].map((path) => file(path, 1))
  expect(byUse(files)).toEqual(files)
})
