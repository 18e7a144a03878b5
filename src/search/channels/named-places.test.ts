import { expect, test } from "bun:test"
import fc from "fast-check"
import { namedFiles } from "./named-places.ts"

const FILES = ["src/web/client.py", "src/web/retry.py", "src/io/client.py", "docs/readme.md"].map(
  (path, at) => ({
    id: at + 1,
    path,
  }),
)
const named = (text: string) => Object.fromEntries(namedFiles(text, FILES))

test("a text names a file by its name, and more clearly by its name with the folder", () => {
  expect(named("see retry.py and web/client.py.")).toEqual({
    1: { name: 1, path: 1 },
    2: { name: 1, path: 0 },
  })
  expect(named("in https://host/blob/main/src/io/client.py#L12")).toEqual({ 3: { name: 1, path: 1 } })
  expect(named("C:\\work\\src\\web\\Retry.py")).toEqual({ 2: { name: 1, path: 1 } })
})

test("a name that two files share counts half for each of them", () => {
  expect(named("client.py fails")).toEqual({ 1: { name: 0.5, path: 0 }, 3: { name: 0.5, path: 0 } })
})

test("in a trace the frame nearest to the error counts most: the last in Python, the first in other languages", () => {
  const python =
    'File "/x/web/client.py", line 3, in a\n  File "/x/web/retry.py", line 9, in b\n  File "/lib/json.py", line 1'
  expect(named(`It fails\n${python}`)).toEqual({ 1: { name: 0.5, path: 0.5 }, 2: { name: 1, path: 1 } })
  const other = "    at b (/x/web/retry.py:9:1)\n    at a (/x/web/client.py:3:1)"
  expect(named(`It fails\n${other}`)).toEqual({ 1: { name: 0.5, path: 0.5 }, 2: { name: 1, path: 1 } })
})

test("a text without a file's name names no file", () => {
  expect(named("e.g. version 1.5.py2 of client, i.e. the retry")).toEqual({})
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
      for (const { name, path } of namedFiles(text, FILES).values())
        expect(Math.max(name, path)).toBeWithin(0, 1.01)
    }),
  )
})
