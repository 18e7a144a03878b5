import { expect, test } from "bun:test"
import { answerOf, candidateOf } from "../../test/sketches.ts"
import { parseQuery, scaleOf } from "./query/query.ts"
import type { FileCosines } from "./rank/features.ts"
import { meaningShares, similarityShares } from "./rank-candidates.ts"

const NONE: FileCosines = { best: 0, topThree: 0, file: 0, names: 0, path: 0 }

function sumOf(shares: ReturnType<typeof meaningShares>): number {
  return shares.reduce((sum, { contribution }) => sum + contribution, 0)
}

test("a file with several near chunks comes before one with a single chunk slightly nearer", () => {
  const about = candidateOf({}, {}, { cosine: { ...NONE, best: 0.5, topThree: 0.45, file: 0.4, path: 0.3 } })
  const chunk = candidateOf({}, {}, { cosine: { ...NONE, best: 0.55, topThree: 0.28, file: 0.2 } })
  expect(sumOf(meaningShares(about))).toBeGreaterThan(sumOf(meaningShares(chunk)))
})

test("with a configured space, its cosine alone decides", () => {
  const shares = meaningShares(
    candidateOf({}, {}, { cosine: { ...NONE, best: 0.9 }, meaning: { cosine: 0.3, deviation: 2 } }),
  )
  expect(shares).toEqual([{ name: "cosine_best", value: 0.3, weight: 1, contribution: 0.3 }])
})

test("likeness compares chunks, by meaning and by words with equal weight", () => {
  const scale = scaleOf(parseQuery("retry uploads"), { ...answerOf([1, 1]), maxChunk: 4 })
  const chunks = [{ ordinal: 0, startLine: 1, endLine: 2, score: 2, body: 0, doc: 0, names: 0 }]
  const candidate = candidateOf({ chunks }, {}, { cosine: { ...NONE, best: 0.5, path: 1 } })
  expect(sumOf(similarityShares(candidate, scale))).toBeCloseTo(1, 5)
})
