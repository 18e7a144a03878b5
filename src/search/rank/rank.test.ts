import { expect, test } from "bun:test"
import fc from "fast-check"
import { answerOf, candidateOf, factsOf, hitOf, symbolRow } from "../../../test/sketches.ts"
import { FILE_FLAG } from "../../base/files/file-flag.ts"
import type { ChunkHit, SymbolHit } from "../../index/keyword/port.ts"
import type { SymbolRow } from "../../store/index/symbols.ts"
import { parseQuery, scaleOf } from "../query/query.ts"
import { type CandidateFile, earlyFeaturesOf, FEATURE_NAMES } from "./features.ts"
import {
  bestFirst,
  bestPage,
  explainRank,
  FOLDER_BONUS,
  inFolder,
  isPage,
  type PlaceSignals,
  type RankedFile,
  rank,
  rankPlaces,
  type WeightTable,
  weightsOf,
  withLiftedPage,
} from "./rank.ts"

const TABLES: readonly WeightTable[] = ["aman512", "keyword"]
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

function fileOf(path: string, sum: number, set: readonly string[] = []): RankedFile {
  const features = Float64Array.from(FEATURE_NAMES, (name) => (set.includes(name) ? 1 : 0))
  return { candidate: candidateOf(hitOf({ path })), features, sum }
}

const PENALTY = weightsOf("aman512")[FEATURE_NAMES.indexOf("docs")]!
const code = (sums: readonly number[]) => sums.map((sum, at) => fileOf(`src/${at + 1}.ts`, sum))
const lifted = (files: readonly RankedFile[], page: RankedFile | null) =>
  [...withLiftedPage(files, page && bestPage(page, "aman512"))].map(({ candidate }) => candidate.hit.path)

test("the best page becomes the fourth file if it is near the best without the weight of pages", () => {
  const page = fileOf("docs/guide.md", 8.1 + PENALTY, ["docs"])
  const [a, b, c, d, e] = code([10, 9, 9, 9, 9]) as RankedFile[]
  expect(lifted([a!, b!, c!, d!, e!, page], page)).toEqual([
    "src/1.ts",
    "src/2.ts",
    "src/3.ts",
    "docs/guide.md",
    "src/4.ts",
    "src/5.ts",
  ])
})

test("a page that moved up has about the sum of the file after it, and more than it, and its explanation says why", () => {
  const page = fileOf("docs/guide.md", 8.1 + PENALTY, ["docs"])
  const files = [...withLiftedPage([...code([10, 9, 9, 9]), page], bestPage(page, "aman512"))]
  const moved = files[3]!
  expect(moved.candidate.hit.path).toBe("docs/guide.md")
  expect(moved.sum).toBeCloseTo(9)
  expect(moved.sum).toBeGreaterThan(9)
  expect(explainRank(moved, "aman512", 0)).toContainEqual(
    expect.objectContaining({ name: "best page", contribution: moved.sum - page.sum }),
  )
  expect(explainRank(page, "aman512", 0).map(({ name }) => name)).not.toContain("best page")
})

test("a page that is further behind, or among the first four, stays at its place", () => {
  const far = fileOf("docs/guide.md", 7.9 + PENALTY, ["docs"])
  const files = [...code([10, 9, 9, 9, 9]), far]
  expect(lifted(files, far)).toEqual(files.map(({ candidate }) => candidate.hit.path))
  const page = fileOf("docs/guide.md", 9.5, ["docs"])
  const [a, ...others] = code([10, 9, 9, 9])
  expect(lifted([a!, page, ...others], page).indexOf("docs/guide.md")).toBe(1)
  const few = [...code([10, 9]), page]
  expect(lifted(few, page)).toEqual(["src/1.ts", "src/2.ts", "docs/guide.md"])
  expect(lifted(code([3, 2]), null)).toEqual(["src/1.ts", "src/2.ts"])
})

test("change logs, translations, tests and examples are no such page", () => {
  expect(isPage(fileOf("", 0, ["docs"]).features)).toBe(true)
  expect(isPage(fileOf("", 0).features)).toBe(false)
  for (const other of ["record", "translation", "test", "example"]) {
    expect(isPage(fileOf("", 0, ["docs", other]).features)).toBe(false)
  }
})

const scaleOfPlaces = scaleOf(parseQuery("retry broken uploads"), { ...answerOf([1, 2, 5]), maxChunk: 10 })

type Given = Partial<Omit<PlaceSignals, "candidate" | "symbolOf">> & {
  readonly symbols?: readonly SymbolRow[]
} & {
  readonly chunks?: readonly ChunkHit[]
  readonly hits?: readonly SymbolHit[]
}

function places({ chunks = [], hits = [], symbols = [], cosines, exact, folded }: Given) {
  return rankPlaces(
    {
      candidate: candidateOf({ chunks, symbols: hits }),
      symbolOf: (ordinal, index) => {
        const own = symbols.filter((symbol) => symbol.ordinal === ordinal)
        return own.find((symbol) => symbol.index === index) ?? own[0] ?? null
      },
      cosines: cosines ?? new Map(),
      exact: exact ?? new Set(),
      folded: folded ?? new Set(),
    },
    scaleOfPlaces,
  )
}

function chunk(ordinal: number, score: number, body = 0): ChunkHit {
  return { ordinal, startLine: 1, endLine: 9, score, body, doc: 0, names: 0 }
}

const order = (given: Given) => places(given).map((place) => place.ordinal)

test("the best chunk comes first", () => {
  expect(order({ chunks: [chunk(0, 3), chunk(1, 9), chunk(2, 6)] })).toEqual([1, 2, 0])
})

test("ties are ordered by position in the file", () => {
  expect(order({ chunks: [chunk(7, 5), chunk(2, 5), chunk(4, 5)] })).toEqual([2, 4, 7])
})

test("the chunk that defines the queried name comes before chunks that only mention it", () => {
  const given = { chunks: [chunk(0, 10, 0b111), chunk(1, 1)], cosines: new Map([[0, 0.4]]) }
  expect(order({ ...given, exact: new Set([1]) })).toEqual([1, 0])
  expect(order(given)).toEqual([0, 1])
})

test("a definition with another spelling counts, but less than one with the same spelling", () => {
  const both = new Set([0, 1])
  expect(order({ exact: new Set([1]), folded: both })).toEqual([1, 0])
  expect(order({ chunks: [chunk(0, 3), chunk(1, 2)], folded: new Set([1]) })).toEqual([1, 0])
})

test("a chunk with the rarer words comes before one with the same score", () => {
  expect(order({ chunks: [chunk(0, 5, 0b001), chunk(1, 5, 0b100)] })).toEqual([1, 0])
})

test("a chunk found by its vector alone is shown; a cosine below zero does not lower its score", () => {
  expect(order({ chunks: [chunk(0, 1)], cosines: new Map([[5, 0.9]]) })).toEqual([5, 0])
  const [plain] = places({ chunks: [chunk(0, 5)] })
  const [averse] = places({ chunks: [chunk(0, 5)], cosines: new Map([[0, -0.9]]) })
  expect(averse!.score).toBe(plain!.score)
})

test("a place shows its best matching definition, else its first, else none", () => {
  const symbols: SymbolRow[] = [
    symbolRow(1, "first", { ordinal: 0, index: 0 }),
    symbolRow(1, "retryUpload", { ordinal: 0, index: 1 }),
    symbolRow(1, "other", { ordinal: 1, index: 0 }),
  ]
  const hits: SymbolHit[] = [
    { ordinal: 0, index: 1, terms: 0b101, extra: 0 },
    { ordinal: 0, index: 0, terms: 0b001, extra: 3 },
  ]
  const shown = places({ chunks: [chunk(0, 9), chunk(1, 5), chunk(2, 3)], hits, symbols })
  expect(shown.map((place) => place.symbol?.name ?? null)).toEqual(["retryUpload", "other", null])
})

test("a definition spelled as in the query lifts its chunk", () => {
  const hits: SymbolHit[] = [{ ordinal: 1, index: 0, terms: 0b111, extra: 0 }]
  const symbols = [symbolRow(1, "retryBrokenUploads", { ordinal: 1 })]
  expect(order({ chunks: [chunk(0, 5), chunk(1, 4)], hits, symbols })).toEqual([1, 0])
})

test("a file found only by its path is shown from its beginning", () =>
  expect(places({}).map(({ ordinal }) => ordinal)).toEqual([0]))
