import { expect, test } from "bun:test"
import fc from "fast-check"
import { answerOf, candidateOf, factsOf } from "../../../test/sketches.ts"
import { parseQuery } from "../query/query.ts"
import { scaleOf } from "../query/query-scale.ts"
import { bestFirst } from "./best-first.ts"
import { earlyFeaturesOf } from "./feature-rows.ts"
import type { CandidateFile } from "./features.ts"
import { rank } from "./rank.ts"

const scale = scaleOf(parseQuery("retry broken uploads"), answerOf([1, 2, 5]))
const MOST = 12
const rowsOf = (candidates: readonly CandidateFile[]) =>
  candidates.map((each) => earlyFeaturesOf(each, scale))

/**
 * Files whose sums are close together, so that the deferred feature decides; some differ in their paths only.
 */
const files = fc.array(
  fc.record({
    path: fc.string({ unit: fc.constantFrom("a", "b", "c", "/"), minLength: 1, maxLength: 6 }),
    depth: fc.integer({ min: 0, max: 3 }),
    nameReferences: fc.constantFrom(0, 1, 2.5, MOST),
    fusion: fc.constantFrom(0, 0.1, 0.2, 1),
  }),
  { maxLength: 40 },
)

test("yields all files in the order of `rank`, with the same sums and features", () => {
  fc.assert(
    fc.property(files, fc.constantFrom("", "a"), (given, folder) => {
      const candidates = given.map(({ path, fusion, ...facts }, i) =>
        candidateOf({ id: i + 1, path: `${path}${i % 3}` }, facts, { fusion }),
      )
      const expected = rank(candidates, scale, "aman512", folder)
      const found = [...bestFirst(candidates, rowsOf(candidates), scale, "aman512", folder, MOST)]
      expect(found.map(({ sum, features }) => ({ sum, features }))).toEqual(
        expected.map(({ sum, features }) => ({ sum, features })),
      )
      expect(found.map(({ candidate }) => candidate.hit.path)).toEqual(
        expected.map(({ candidate }) => candidate.hit.path),
      )
    }),
  )
})

test("the deferred feature is computed only for files that could come next", () => {
  const asked: string[] = []
  const candidates = [1, 0.9, 0.1, 0].map((fusion) => {
    const path = `src/${fusion}.ts`
    const facts = factsOf()
    Object.defineProperty(facts, "nameReferences", { get: () => asked.push(path) && 1 })
    return { ...candidateOf({ path }, {}, { fusion: fusion * 20 }), facts }
  })
  const first = bestFirst(candidates, rowsOf(candidates), scale, "aman512", "", 1).next().value
  expect(first?.candidate.hit.path).toBe("src/1.ts")
  expect(asked).not.toContain("src/0.1.ts")
  expect(asked).not.toContain("src/0.ts")
})
