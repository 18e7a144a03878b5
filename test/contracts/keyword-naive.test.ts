import { expect, test } from "bun:test"
import fc from "fast-check"
import { openKeywordIndex } from "../../src/index/keyword/keyword-index.ts"
import { mergeSegments } from "../../src/index/keyword/merge.ts"
import type { FileHit, KeywordAnswer, KeywordFile, KeywordQuery } from "../../src/index/keyword/port.ts"
import { queryTerms } from "../../src/text/terms/query-terms.ts"
import { keywordFile } from "./keyword-files.ts"
import { type NaiveAnswer, type NaiveFile, naiveQuery } from "./keyword-naive.ts"
import { segmentOf } from "./keyword-subjects.ts"
import { sketches, someQuery } from "./keyword-wild.ts"

const none: ReadonlySet<number> = new Set()

/** True if two scores are equal except for rounding: scores are summed in 32-bit floats. */
const isClose = (found: number, expected: number) => Math.abs(found - expected) <= 1e-5 * (1 + expected)

function expectSame(found: KeywordAnswer, expected: NaiveAnswer): void {
  expect(Array.from(found.fileIdf)).toEqual([...expected.fileIdf])
  expect(Array.from(found.chunkIdf)).toEqual([...expected.chunkIdf])
  expect(found.matchedFiles).toBe(expected.files.length)
  const byPath = new Map(expected.files.map((file) => [file.path, file]))
  expect(found.files.map(({ path }) => path).sort()).toEqual([...byPath.keys()].sort())
  for (const file of found.files) expectSameFile(file, byPath.get(file.path)!)
  expect(isClose(found.maxScore, Math.max(0, ...expected.files.map((file) => file.score)))).toBe(true)
  expect(isClose(found.maxChunk, Math.max(0, ...expected.files.map((file) => file.bestChunk)))).toBe(true)
  expect(isClose(found.maxTopChunks, Math.max(0, ...expected.files.map((file) => file.topChunks)))).toBe(true)
}

function expectSameFile(found: FileHit, expected: NaiveFile): void {
  expect(found.masks).toEqual(expected.masks)
  expect([found.stemWords, found.dirWords]).toEqual([expected.stemWords, expected.dirWords])
  for (const score of ["score", "bestChunk", "topChunks"] as const) {
    expect([score, isClose(found[score], expected[score])]).toEqual([score, true])
  }
  const byOrdinal = found.chunks.toSorted((a, b) => a.ordinal - b.ordinal)
  const masks = byOrdinal.map(({ ordinal, body, doc, names }) => ({ ordinal, body, doc, names }))
  expect(masks).toEqual(
    expected.chunks.map(({ ordinal, body, doc, names }) => ({ ordinal, body, doc, names })),
  )
  byOrdinal.forEach((chunk, i) => {
    expect(isClose(chunk.score, expected.chunks[i]!.score)).toBe(true)
  })
  for (let i = 1; i < found.chunks.length; i++) {
    const [better, worse] = [found.chunks[i - 1]!, found.chunks[i]!]
    expect(
      better.score > worse.score || (better.score === worse.score && better.ordinal < worse.ordinal),
    ).toBe(true)
  }
}

const ask = (text: string, more: Partial<KeywordQuery> = {}): KeywordQuery => ({
  terms: queryTerms(text),
  files: 100,
  ...more,
})
const filesOf = (drawn: readonly Parameters<typeof keywordFile>[1][]) =>
  drawn.map((sketch, i) => keywordFile(i + 1, sketch))

/** The files, spread over segments by the digits of `spread`. */
function spreadOut(files: readonly KeywordFile[], spread: readonly number[]): Uint8Array[] {
  const groups = [0, 1, 2].map((group) => files.filter((_, i) => (spread[i] ?? 0) === group))
  return groups.map((group) => segmentOf(group))
}

const spreads = fc.array(fc.nat(2), { minLength: 8, maxLength: 8 })

test("scores, masks and statistics equal those of the formulas", () => {
  fc.assert(
    fc.property(sketches, spreads, someQuery, (drawn, spread, text) => {
      const files = filesOf(drawn)
      const parts = spreadOut(files, spread).map((bytes) => ({ bytes, dead: none }))
      const query = ask(text)
      expectSame(openKeywordIndex(parts).query(query), naiveQuery(files, query))
    }),
    { numRuns: 150 },
  )
})

test("deleted and rejected files have no effect on results", () => {
  fc.assert(
    fc.property(sketches, fc.uniqueArray(fc.nat(8)), someQuery, (drawn, deadIds, text) => {
      const files = filesOf(drawn)
      const dead = new Set(deadIds)
      const accept = ({ flags }: { flags: number }) => flags < 5
      const index = openKeywordIndex([{ bytes: segmentOf(files), dead }])
      const living = files.filter(({ id }) => !dead.has(id))
      expect([index.files, index.chunks]).toEqual([
        living.length,
        living.flatMap((file) => file.chunks).length,
      ])
      expectSame(index.query(ask(text, { accept })), naiveQuery(living, ask(text, { accept })))
      expectSame(index.query(ask(text)), naiveQuery(living, ask(text)))
    }),
    { numRuns: 150 },
  )
})

test("merging gives the same result however files were distributed", () => {
  fc.assert(
    fc.property(sketches, spreads, fc.uniqueArray(fc.nat(8)), (drawn, spread, deadIds) => {
      const files = filesOf(drawn)
      const dead = new Set(deadIds)
      const living = files.filter(({ id }) => !dead.has(id)).sort((a, b) => (a.path < b.path ? -1 : 1))
      const merged = mergeSegments(spreadOut(files, spread).map((bytes) => ({ bytes, dead })))
      expect(Bun.hash(merged)).toBe(Bun.hash(segmentOf(living)))
    }),
    { numRuns: 150 },
  )
})

test("a limited answer has the best files by either order, and those requested by id", () => {
  fc.assert(
    fc.property(sketches, spreads, someQuery, fc.nat(3), fc.nat(8), (drawn, spread, text, limit, id) => {
      const files = filesOf(drawn)
      const index = openKeywordIndex(spreadOut(files, spread).map((bytes) => ({ bytes, dead: none })))
      const all = index.query(ask(text)).files
      const best = (score: "score" | "topChunks") =>
        all.toSorted((a, b) => b[score] - a[score] || (a.path < b.path ? -1 : 1)).slice(0, limit)
      const included = files.filter((file) => file.id === id)
      const expected = new Set([...best("score"), ...best("topChunks"), ...included].map(({ path }) => path))
      const limited = index.query(ask(text, { files: limit, include: [id] }))
      expect(limited.files.map(({ path }) => path).sort()).toEqual([...expected].sort())
      expect(limited.maxTopChunks).toBe(index.query(ask(text)).maxTopChunks)
    }),
    { numRuns: 150 },
  )
})
