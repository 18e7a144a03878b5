import { expect, test } from "bun:test"
import { array, assert, integer, property, uniqueArray } from "fast-check"
import { NameLists } from "./symbol-graph.ts"

/** Hashes that are close together or spread over the whole range. */
const HASH = integer({ min: 0, max: 2 ** 32 - 1 }).chain((hash) =>
  integer({ min: Math.max(0, hash - 3), max: hash }),
)
const FILES = array(uniqueArray(HASH, { maxLength: 40 }), { maxLength: 12 })

test("returns the files that have a hash, whatever files there are", () => {
  assert(
    property(FILES, HASH, (files, other) => {
      const lists = new NameLists(rowsOf(files, 1))
      for (const hash of [other, ...files.flat()]) expect(lists.holding(hash)).toEqual(having(files, hash, 1))
    }),
  )
})

test("forgets deleted files and adds new ones", () => {
  assert(
    property(FILES, FILES, HASH, (old, added, other) => {
      const first = new NameLists(rowsOf(old, 1))
      const current = new Set(old.flatMap((_, at) => (at % 2 === 0 ? [at + 1] : [])))
      const lists = first.with(rowsOf(added, 100), current)
      for (const hash of [other, ...old.flat(), ...added.flat()])
        expect(lists.holding(hash)).toEqual([
          ...having(old, hash, 1).filter((id) => current.has(id)),
          ...having(added, hash, 100),
        ])
      expect(lists.newest).toBe(added.length > 0 ? 99 + added.length : Math.max(0, ...current))
    }),
  )
})

function rowsOf(files: readonly (readonly number[])[], firstId: number): [number, Uint8Array][] {
  return files.map((hashes, at) => [firstId + at, new Uint8Array(Uint32Array.from(hashes).sort().buffer)])
}

function having(files: readonly (readonly number[])[], hash: number, firstId: number): number[] {
  return files.flatMap((hashes, at) => (hashes.includes(hash) ? [firstId + at] : []))
}
