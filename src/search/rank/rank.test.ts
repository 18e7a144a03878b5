import { expect, test } from "bun:test"
import fc from "fast-check"
import { answerOf, candidateOf } from "../../../test/sketches.ts"
import { FILE_FLAG } from "../../base/files/file-flag.ts"
import { parseQuery } from "../query/query.ts"
import { scaleOf } from "../query/query-scale.ts"
import { explainRank } from "./explain.ts"
import { FEATURE_NAMES } from "./feature-rows.ts"
import { FOLDER_BONUS, inFolder, rank, type WeightTable, weightsOf } from "./rank.ts"

const TABLES: readonly WeightTable[] = ["aman512", "static768", "keyword"]
const scale = scaleOf(parseQuery("retry broken uploads"), answerOf([1, 2, 5]))

test("equal files are ordered by path, whatever the order of the candidates", () => {
  const paths = ["src/b.ts", "src/B.ts", "lib/z.ts", "src/a.ts"]
  const candidates = paths.map((path, i) => candidateOf({ id: i + 1, path }))
  for (const given of [candidates, candidates.toReversed()]) {
    const ranked = rank(given, scale, "aman512", "")
    expect(ranked.map(({ candidate }) => candidate.hit.path)).toEqual([
      "lib/z.ts",
      "src/B.ts",
      "src/a.ts",
      "src/b.ts",
    ])
  }
})

test("the user's current folder gives a bonus, and only whole folder names count", () => {
  const given = ["api/users.ts", "apis/users.ts", "web/api/users.ts"].map((path, i) =>
    candidateOf({ id: i, path }),
  )
  const plain = rank(given, scale, "aman512", "")
  const inside = rank(given, scale, "aman512", "api")
  const gain = (path: string) => {
    const sum = (files: typeof plain) => files.find((file) => file.candidate.hit.path === path)!.sum
    return sum(inside) - sum(plain)
  }
  expect(gain("api/users.ts")).toBeCloseTo(FOLDER_BONUS, 9)
  expect(gain("apis/users.ts")).toBe(0)
  expect(gain("web/api/users.ts")).toBe(0)
  expect(inside[0]!.candidate.hit.path).toBe("api/users.ts")
  expect(inFolder("a.ts", "")).toBe(false)
  expect(inFolder("web", "web")).toBe(true)
})

test("a test ranks below an equal file that is no test, in both tables", () => {
  for (const table of TABLES) {
    const [first] = rank(
      [candidateOf({ id: 1, path: "a.ts" }, { flags: FILE_FLAG.test }), candidateOf({ id: 2, path: "b.ts" })],
      scale,
      table,
      "",
    )
    expect(first!.candidate.hit.id).toBe(2)
  }
})

test("a task that may be a question is ranked by weights between those of both", () => {
  const [question, task, unsure] = (["aman512", "aman512:task", "aman512:unsure"] as const).map(weightsOf)
  unsure!.forEach((weight, i) => {
    expect(weight).toBeCloseTo(0.7 * question![i]! + 0.3 * task![i]!, 9)
  })
})

test("a weight is applied to the feature of the same name", () => {
  const weights = weightsOf("aman512")
  expect(weights).toHaveLength(FEATURE_NAMES.length)
  expect(weights[FEATURE_NAMES.indexOf("defines_exact")]).toBeGreaterThan(0)
  expect(weights[FEATURE_NAMES.indexOf("test")]).toBeLessThan(0)
})

const share = fc.nat(100).map((percent) => percent / 100)
const mask = fc.nat(7)
const wild = fc
  .record({
    score: fc.nat(4000).map((hundredths) => hundredths / 100),
    masks: fc.record({ body: mask, doc: mask, names: mask, stem: mask, dirs: mask, head: mask }),
    lines: fc.nat(50_000),
    path: fc.constantFrom("here/a.ts", "there/b.ts", "c.ts"),
    flags: fc.nat(1023),
    exact: share,
    cosine: fc.record({ best: share, topThree: share, file: share, names: share, path: share }),
    fusion: share,
    siblings: share,
  })
  .map(({ score, masks, lines, path, flags, exact, cosine, fusion }) =>
    candidateOf({ score, masks, lines, path }, { flags }, { exact, folded: exact, cosine, fusion }),
  )

test("an explanation adds up to the sum, largest share first, and leaves out shares of 0", () => {
  fc.assert(
    fc.property(
      fc.array(wild, { minLength: 1, maxLength: 5 }),
      fc.constantFrom(...TABLES),
      fc.constantFrom("retry broken uploads", "retryUpload", "Retry.upload"),
      (candidates, table, text) => {
        const asked = parseQuery(text)
        const of = scaleOf(asked, answerOf(Array<number>(asked.terms.length).fill(1.5)))
        for (const file of rank(candidates, of, table, "here")) {
          const bonus = inFolder(file.candidate.hit.path, "here") ? FOLDER_BONUS : 0
          const shares = explainRank(file, table, bonus)
          const sum = shares.reduce((total, each) => total + each.contribution, 0)
          expect(sum).toBeCloseTo(file.sum, 9)
          for (const each of shares) expect(each.contribution).toBeCloseTo(each.value * each.weight, 12)
          const sizes = shares.map((each) => Math.abs(each.contribution))
          expect(sizes).toEqual(sizes.toSorted((a, b) => b - a))
          expect(sizes.every((size) => size > 0)).toBe(true)
          expect(shares.some((each) => each.name === "folder")).toBe(bonus > 0)
        }
      },
    ),
    { numRuns: 200 },
  )
})

test("ranking is by sum, and does not depend on the order of the candidates", () => {
  fc.assert(
    fc.property(fc.array(wild, { maxLength: 8 }), (candidates) => {
      const named = candidates.map((candidate, i) => ({
        ...candidate,
        hit: { ...candidate.hit, id: i, path: `${candidate.hit.path}${i}` },
      }))
      const forth = rank(named, scale, "aman512", "here")
      const back = rank(named.toReversed(), scale, "aman512", "here")
      expect(back.map((file) => file.candidate.hit.id)).toEqual(forth.map((file) => file.candidate.hit.id))
      for (let i = 1; i < forth.length; i++) expect(forth[i]!.sum).toBeLessThanOrEqual(forth[i - 1]!.sum)
    }),
    { numRuns: 100 },
  )
})
