import { expect, test } from "bun:test"
import { answerOf, candidateOf, symbolRow } from "../../../test/sketches.ts"
import type { ChunkHit, SymbolHit } from "../../keyword/port.ts"
import type { SymbolRow } from "../../store/index/symbols.ts"
import { parseQuery } from "../query/query.ts"
import { scaleOf } from "../query/query-scale.ts"
import { type PlaceSignals, rankPlaces } from "./places.ts"

const scale = scaleOf(parseQuery("retry broken uploads"), { ...answerOf([1, 2, 5]), maxChunk: 10 })

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
    scale,
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
