import { expect, test } from "bun:test"
import fc from "fast-check"
import { fuse, type RankedList } from "./fuse.ts"

test("the seed's worked example: .35 keyword, .65 vector, k = 60", () => {
  const [a, b, c, d] = [1, 2, 3, 4]
  const scores = fuse([
    { ids: [a, b, c, d], weight: 0.35 },
    { ids: [c, a, d, b], weight: 0.65 },
  ])
  const rounded = Array.from(scores, ([id, score]) => [id, Math.round(score * 1e6) / 1e6])
  expect(rounded.sort((one, other) => other[1]! - one[1]!)).toEqual([
    [a, 0.016222],
    [c, 0.016211],
    [b, 0.015801],
    [d, 0.015786],
  ])
})

test("a list that lacks an id gives it nothing", () => {
  const scores = fuse([
    { ids: [1], weight: 0.5 },
    { ids: [2, 1], weight: 0.5 },
  ])
  expect(scores.get(1)).toBeCloseTo(0.5 / 61 + 0.5 / 62, 12)
  expect(scores.get(2)).toBeCloseTo(0.5 / 61, 12)
  expect(scores.has(3)).toBe(false)
})

test("no list, no scores", () => {
  expect(fuse([])).toEqual(new Map())
  expect(fuse([{ ids: [], weight: 1 }])).toEqual(new Map())
})

test("agreement between two lists beats the head of either", () => {
  const scores = fuse([
    { ids: [1, 3], weight: 0.5 },
    { ids: [2, 3], weight: 0.5 },
  ])
  expect(scores.get(3)!).toBeGreaterThan(Math.max(scores.get(1)!, scores.get(2)!))
})

const list: fc.Arbitrary<RankedList> = fc.record({
  ids: fc.uniqueArray(fc.nat(30), { maxLength: 12 }),
  weight: fc.double({ min: 0.01, max: 1, noNaN: true }),
})

test("a list alone keeps its order, and the order of the lists does not matter", () => {
  fc.assert(
    fc.property(list, (only) => {
      const scores = fuse([only])
      expect([...scores.keys()].sort((a, b) => scores.get(b)! - scores.get(a)!)).toEqual([...only.ids])
    }),
  )
  fc.assert(
    fc.property(list, list, (one, other) => {
      const forth = fuse([one, other])
      const back = fuse([other, one])
      expect(back.size).toBe(forth.size)
      for (const [id, score] of forth) expect(back.get(id)).toBeCloseTo(score, 12)
    }),
  )
})
