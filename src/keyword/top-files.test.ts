import { expect, test } from "bun:test"
import fc from "fast-check"
import { TopFiles } from "./top-files.ts"

test("the kept places are the best, equal scores by the given order", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5), { maxLength: 50 }), fc.nat(10), (scores, limit) => {
      const top = new TopFiles(limit, (place, other) => place < other)
      scores.forEach((score, place) => {
        if (score >= top.least) top.offer(place, score)
      })
      const best = scores
        .map((score, place) => ({ score, place }))
        .sort((a, b) => b.score - a.score || a.place - b.place)
      const expected = best.slice(0, limit).map(({ place }) => place)
      expect([...top.places].sort((a, b) => a - b)).toEqual(expected.sort((a, b) => a - b))
    }),
  )
})
