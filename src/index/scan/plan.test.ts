import { expect, test } from "bun:test"
import fc from "fast-check"
import { FILE_FLAG } from "../../base/files/file-flag.ts"
import type { KnownFile } from "../../store/index/files.ts"
import { plan } from "../pipeline/read-files.ts"

const known = (path: string, id: number, flags = 0): KnownFile => [path, id, 10, 1, `hash of ${path}`, flags]
const found = (path: string) => ({ path, size: 10, mtimeMs: 1 })

test("plans new, known and deleted files", () => {
  expect(plan([known("a", 1), known("b", 2), known("c", 3)], [found("b"), found("d")])).toEqual({
    read: [
      { ...found("b"), knownHash: "hash of b" },
      { ...found("d"), knownHash: null },
    ],
    remove: [1, 3],
  })
})

test("reads everything when nothing is known, and removes everything when nothing is found", () => {
  expect(plan([], [found("a")])).toEqual({ read: [{ ...found("a"), knownHash: null }], remove: [] })
  expect(plan([known("a", 7)], [])).toEqual({ read: [], remove: [7] })
})

test("reads a file as new when .gitattributes describes it differently", () => {
  const { generated, markedGenerated: attributeFlags, deniedVendored } = FILE_FLAG
  const before = [
    known("a", 1),
    known("b", 2, attributeFlags | generated),
    known("c", 3, attributeFlags),
    known("d", 4, generated),
  ]
  const now = [
    { ...found("a"), attributeFlags },
    { ...found("b"), attributeFlags },
    { ...found("c"), attributeFlags: deniedVendored },
    found("d"),
  ]
  const hashes = plan(before, now).read.map(({ path, knownHash }) => [path, knownHash])
  expect(hashes).toEqual([
    ["a", null],
    ["b", "hash of b"],
    ["c", null],
    ["d", "hash of d"],
  ])
})

test("reads files in the order found, and reads or removes each known file", () => {
  const paths = fc.uniqueArray(fc.constantFrom(..."abcdefghij"), { maxLength: 10 })
  fc.assert(
    fc.property(paths, paths, (before, now) => {
      const { read, remove } = plan(
        before.map((path, i) => known(path, i + 1)),
        now.map(found),
      )
      expect(read.map((file) => file.path)).toEqual(now)
      expect(read.filter((file) => file.knownHash !== null).length + remove.length).toBe(before.length)
    }),
  )
})
