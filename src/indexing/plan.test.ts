import { expect, test } from "bun:test"
import fc from "fast-check"
import type { KnownFile } from "../store/files.ts"
import { plan } from "./plan.ts"

const known = (path: string, id: number): KnownFile => [path, id, 10, 1, `hash of ${path}`]
const found = (path: string) => ({ path, size: 10, mtimeMs: 1 })

test("what is new, known and gone", () => {
  expect(plan([known("a", 1), known("b", 2), known("c", 3)], [found("b"), found("d")])).toEqual({
    read: [
      { ...found("b"), knownHash: "hash of b" },
      { ...found("d"), knownHash: null },
    ],
    remove: [1, 3],
  })
})

test("nothing known: read everything; nothing found: remove everything", () => {
  expect(plan([], [found("a")])).toEqual({ read: [{ ...found("a"), knownHash: null }], remove: [] })
  expect(plan([known("a", 7)], [])).toEqual({ read: [], remove: [7] })
})

test("files are read in the order they were found, each known one is read or removed", () => {
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
