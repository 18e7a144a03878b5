import { expect, test } from "bun:test"
import type { FileHit } from "../../index/keyword/port.ts"
import { type ConfiguredChannel, meaningsOf } from "./near-chunks.ts"

/** Files by id with the cosines of their chunks. */
function meanings(files: readonly (readonly number[])[]) {
  const channel: ConfiguredChannel = {
    files: [],
    cosine: () => 0,
    chunkCosines: ({ id }) => new Map(files[id]!.entries()),
    bestCosines: ({ id }) => files[id]!,
  }
  const hits = files.map((_, id) => ({ id }) as FileHit)
  return files.map((_, id) => meaningsOf(hits, channel).get(id))
}

test("a file's meaning is its best chunk's cosine and the deviation from the other candidates, whatever the model's usual cosine", () => {
  const low = meanings([[0.1, 0.5], [0.3], [0.1]])
  const high = meanings([[0.5, 0.9], [0.7], [0.5]])
  expect(low.map((meaning) => meaning!.cosine)).toEqual([0.5, 0.3, 0.1])
  for (const [i, meaning] of low.entries()) expect(high[i]!.deviation).toBeCloseTo(meaning!.deviation, 9)
  expect(low[0]!.deviation).toBeCloseTo(Math.sqrt(1.5), 9)
})

test("a file without vectors gets the lowest cosine of the candidates", () => {
  const [near, far, without] = meanings([[0.9], [0.2], []])
  expect(without).toEqual(far!)
  expect(near!.deviation).toBeGreaterThan(1)
})

test("a deviation is at most three, and tiny differences count nothing", () => {
  const outlier = meanings([[0.9], ...Array.from({ length: 99 }, () => [0.1])])
  expect(outlier[0]!.deviation).toBe(3)
  const alike = meanings([[0.501], [0.5], [0.5]])
  expect(Math.abs(alike[0]!.deviation)).toBeLessThan(0.05)
})

test("returns no meanings when no file has a vector", () => {
  expect(meanings([[], []])).toEqual([undefined, undefined])
})
