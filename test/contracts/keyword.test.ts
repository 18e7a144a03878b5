import { expect, test } from "bun:test"
import fc from "fast-check"
import { keywordContract } from "./keyword.ts"
import { keywordFile } from "./keyword-files.ts"
import { openFts5, openMerged, openOneSegment, openSegmentPerFile } from "./keyword-subjects.ts"
import { sketches, someQuery } from "./keyword-wild.ts"

keywordContract("one segment", openOneSegment)
keywordContract("a segment per file", openSegmentPerFile)
keywordContract("merged segments", openMerged)
keywordContract("SQLite FTS5", openFts5)

test("for any files and query the match set is that of FTS5", () => {
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
