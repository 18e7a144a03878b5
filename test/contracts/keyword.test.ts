import { expect, test } from "bun:test"
import fc from "fast-check"
import { openKeywordIndex } from "../../src/index/keyword/keyword-index.ts"
import { queryTerms } from "../../src/text/terms/query-terms.ts"
import { keywordContract } from "./keyword.ts"
import { keywordFile } from "./keyword-files.ts"
import {
  inFile,
  openFile,
  openFts5,
  openMerged,
  openOneSegment,
  openSegmentPerFile,
  segmentOf,
} from "./keyword-subjects.ts"
import { sketches, someQuery } from "./keyword-wild.ts"

keywordContract("one segment", openOneSegment)
keywordContract("a segment per file", openSegmentPerFile)
keywordContract("merged segments", openMerged)
keywordContract("a segment in a file", openFile)
keywordContract("SQLite FTS5", openFts5)

test("matches the same files as FTS5 for any files and query", () => {
  fc.assert(
    fc.property(sketches, fc.uniqueArray(fc.nat(12)), someQuery, (drawn, deadIds, query) => {
      const files = drawn.map((sketch, i) => keywordFile(i + 1, sketch))
      const dead = new Set(deadIds)
      const expected = openFts5(files, dead).matches(query)
      expect(openOneSegment(files, dead).matches(query)).toEqual(expected)
      expect(openSegmentPerFile(files, dead).matches(query)).toEqual(expected)
      expect(openMerged(files, dead).matches(query)).toEqual(expected)
    }),
    { numRuns: 100 },
  )
})

test("a segment in a file answers like one in memory, query after query", () => {
  fc.assert(
    fc.property(sketches, fc.array(someQuery, { maxLength: 3 }), (drawn, queries) => {
      const bytes = segmentOf(drawn.map((sketch, i) => keywordFile(i + 1, sketch)))
      const inMemory = openKeywordIndex([{ bytes, dead: new Set() }])
      const read = openKeywordIndex([{ bytes: inFile(bytes), dead: new Set() }])
      for (const query of queries) {
        const terms = queryTerms(query)
        expect(read.query({ terms, files: 5 })).toEqual(inMemory.query({ terms, files: 5 }))
        for (const { hash } of terms.flatMap(({ variants }) => variants)) {
          expect(read.holding(hash)).toEqual(inMemory.holding(hash))
          expect(read.someHolders(hash, 3)).toEqual(inMemory.someHolders(hash, 3))
        }
      }
    }),
    { numRuns: 50 },
  )
})
