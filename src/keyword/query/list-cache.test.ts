import { expect, test } from "bun:test"
import { EntryBuffer, type VariantList } from "../format/posting-lists.ts"
import { ListCache } from "./list-cache.ts"

/** A list with this many files, of 21 bytes each. */
function listOf(files: number): VariantList {
  const buffer = new EntryBuffer()
  buffer.reserve(files)
  buffer.entries.files.set(Array.from({ length: files }, (_, file) => file))
  const figures = { holding: files, chunks: files, weight: 1, postings: { start: 0, end: 0, documents: 0 } }
  return { segment: 0, term: 0, entries: buffer.entries, start: 0, end: files, ...figures }
}

test("caches copies, and does not cache short lists", () => {
  const cache = new ListCache()
  const list = listOf(300)
  for (const [key, size] of [
    ["large", 300],
    ["small", 10],
  ] as const) {
    expect(cache.get(key)).toBeUndefined()
    cache.offer(key, size === 300 ? list : listOf(size))
  }
  list.entries.files.fill(0)
  expect(cache.get("large")?.entries.files.at(-1)).toBe(299)
  expect(cache.get("small")).toBeUndefined()
})

test("keeps the more frequently requested list when there is no room", () => {
  const cache = new ListCache(21 * 700)
  const ask = (key: string, times: number) => {
    for (let i = 0; i < times; i++) if (cache.get(key) === undefined) cache.offer(key, listOf(300))
  }
  ask("often", 5)
  ask("twice", 2)
  ask("once", 1)
  const isKept = (key: string) => cache.get(key) !== undefined
  expect([isKept("often"), isKept("twice"), isKept("once")]).toEqual([true, true, false])
  ask("most", 9)
  expect([isKept("often"), isKept("twice"), isKept("most")]).toEqual([true, false, true])
})
