import { expect, test } from "bun:test"
import { createSegmentBuilder } from "./build.ts"
import {
  EntryBuffer,
  ListCache,
  NEAR_SHIFT,
  openState,
  type SegmentState,
  segmentIndex,
  type VariantList,
} from "./state.ts"

test("finds a file by id, the first time and after the table was built", () => {
  const builder = createSegmentBuilder()
  const ids = [7, 3, 11]
  for (const [i, id] of ids.entries()) {
    const rows = { start: 0, end: 2, startLine: 1, endLine: 1, symbols: [] }
    builder.add({
      id,
      path: `${i}.ts`,
      text: "a\n",
      lines: 1,
      flags: 0,
      comments: new Uint32Array(),
      chunks: [rows],
    })
  }
  const state = openState(builder.finish())
  for (let time = 0; time < 1_000; time++) {
    for (const [file, id] of ids.entries()) expect(segmentIndex(state, id)).toBe(file)
    expect(segmentIndex(state, 4)).toBeUndefined()
  }
})

test("knows the file of every fourth document, also in an empty segment", () => {
  const builder = createSegmentBuilder()
  expect(openState(builder.finish()).fileNear.length).toBe(0)
  for (let i = 0; i < 40; i++) {
    const chunks = Array.from({ length: (i * 7) % 11 }, () => ({
      ...{ start: 0, end: 2, startLine: 1, endLine: 1, symbols: [] },
    }))
    const file = { id: i + 1, path: `${i}.ts`, text: "a\n", lines: 1, flags: 0 }
    builder.add({ ...file, comments: new Uint32Array(), chunks })
  }
  const { segment, fileNear } = openState(builder.finish())
  const every = Array.from(segment.fileOf).filter((_, document) => document % 2 ** NEAR_SHIFT === 0)
  expect([...fileNear]).toEqual(every)
})

test("finds each of millions of files by any id", () => {
  // A real segment of this many files would take too long to build, and the lookup reads only the ids.
  const fileId = new Uint32Array(2 ** 21 + 3)
  for (let file = 0; file < fileId.length; file++) fileId[file] = 2 ** 32 - 1 - 3 * file
  const state = { segment: { fileId }, places: undefined, walks: Number.POSITIVE_INFINITY }
  for (const file of [0, 1, 2 ** 20, 2 ** 21 - 1, 2 ** 21, 2 ** 21 + 2]) {
    expect(segmentIndex(state as unknown as SegmentState, fileId[file]!)).toBe(file)
    expect(segmentIndex(state as unknown as SegmentState, fileId[file]! - 1)).toBeUndefined()
  }
  expect(segmentIndex(state as unknown as SegmentState, 0)).toBeUndefined()
})

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
