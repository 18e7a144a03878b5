import { expect, test } from "bun:test"
import fc from "fast-check"
import { fuse, type RankedList, TopK } from "./ranking.ts"

test("a worked example: .35 keyword, .65 vector, k = 60", () => {
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

test("a list that lacks an id adds nothing to its score", () => {
  const scores = fuse([
    { ids: [1], weight: 0.5 },
    { ids: [2, 1], weight: 0.5 },
  ])
  expect(scores.get(1)).toBeCloseTo(0.5 / 61 + 0.5 / 62, 12)
  expect(scores.get(2)).toBeCloseTo(0.5 / 61, 12)
  expect(scores.has(3)).toBe(false)
})

test("no lists give no scores", () => {
  expect(fuse([])).toEqual(new Map())
  expect(fuse([{ ids: [], weight: 1 }])).toEqual(new Map())
})

test("an id in both lists comes before the first of either", () => {
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

test("a single list keeps its order, and the order of the lists does not matter", () => {
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

test("keeps the best items, equal scores in the given order", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5), { maxLength: 50 }), fc.nat(10), (scores, limit) => {
      const top = new TopK(limit, (item, other) => item < other)
      scores.forEach((score, item) => {
        top.offer(item, score)
      })
      const best = scores
        .map((score, item) => ({ score, item }))
        .sort((a, b) => b.score - a.score || a.item - b.item)
        .slice(0, limit)
      expect(top.best()).toEqual(best.map(({ item }) => item))
      const isFull = limit > 0 && best.length === limit
      if (isFull) expect(top.minScore).toBe(best.at(-1)!.score)
      if (limit > 0 && !isFull) expect(top.minScore).toBe(Number.NEGATIVE_INFINITY)
    }),
  )
})
