import { expect, test } from "bun:test"
import fc from "fast-check"
import { NearestNodes } from "./nearest-nodes.ts"

test("the best are kept, those met first before their equals, and each is taken once", () => {
  const near = new NearestNodes()
  const scores = fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 40 })
  fc.assert(
    fc.property(scores, fc.integer({ min: 1, max: 12 }), fc.nat(5), (scores, capacity, takeEvery) => {
      near.clear(capacity)
      const met: { node: number; score: number; isTaken: boolean }[] = []
      const best = () => met.toSorted((a, b) => b.score - a.score).slice(0, capacity)
      const takeOne = () => {
        const next = best().find((own) => !own.isTaken)
        expect(near.take()).toBe(next?.node ?? -1)
        if (next !== undefined) next.isTaken = true
        return next
      }
      for (const [node, score] of scores.entries()) {
        near.offer(node, score)
        met.push({ node, score, isTaken: false })
        if (node % (takeEvery + 1) === takeEvery) takeOne()
      }
      while (takeOne() !== undefined);
      expect(near.best(capacity)).toEqual(best().map((own) => own.node))
    }),
  )
})

test("what is no number is no match", () => {
  const near = new NearestNodes()
  near.clear(2)
  for (const [node, score] of [Number.NaN, 1, Number.NaN, 3, 2].entries()) near.offer(node, score)
  expect(near.best(2)).toEqual([3, 4])
})
