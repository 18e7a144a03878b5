import { expect, test } from "bun:test"
import fc from "fast-check"
import { queryTerms } from "../../text/terms/query-terms.ts"
import { createSegmentBuilder } from "../build/builder.ts"
import type { FileHit } from "../port.ts"
import { openKeywordIndex } from "./keyword-index.ts"

const WORDS = ["alpha", "beta", "gamma", "delta"] as const

/** Chunks as lists of words. */
const files = fc.array(
  fc.array(fc.array(fc.constantFrom(...WORDS, "other", "filler"), { minLength: 1, maxLength: 9 }), {
    minLength: 1,
    maxLength: 6,
  }),
  { minLength: 1, maxLength: 60 },
)
const spread = fc.constantFrom(1, 3)

test("selects the best files by file score and by chunks, with the figures of all files", () => {
  fc.assert(
    fc.property(
      files,
      spread,
      fc.subarray([...WORDS], { minLength: 1 }),
      fc.nat(5),
      (drawn, parts, words, wanted) => {
        const index = openKeywordIndex(segmentsOf(drawn, parts))
        const terms = queryTerms(words.join(" "))
        const all = index.query({ terms, files: 1000 })
        const few = index.query({ terms, files: wanted })
        const best = (score: (file: FileHit) => number) =>
          all.files.toSorted((a, b) => score(b) - score(a) || (a.path < b.path ? -1 : 1)).slice(0, wanted)
        const expected = new Set([...best((file) => file.score), ...best((file) => file.topChunks)])
        expect(few).toEqual({ ...all, files: all.files.filter((file) => expected.has(file)) })
      },
    ),
    { numRuns: 300 },
  )
})

test("is not misled by files whose bounds are higher than their scores", () => {
  const filler = new Array(20).fill("filler")
  const apart = [
    ["alpha", ...filler],
    ["beta", ...filler],
  ]
  const together = [["alpha", "beta", "other", ...filler], filler, filler, filler]
  const index = openKeywordIndex(segmentsOf([...new Array(60).fill(apart), together], 1))
  const { files, maxChunk } = index.query({ terms: queryTerms("alpha beta"), files: 1 })
  const best = files.toSorted((a, b) => b.topChunks - a.topChunks)[0]!
  expect([best.path, best.bestChunk]).toEqual(["060.ts", maxChunk])
})

function segmentsOf(drawn: readonly (readonly (readonly string[])[])[], parts: number) {
  return Array.from({ length: parts }, (_, part) => {
    const builder = createSegmentBuilder()
    drawn.forEach((chunks, i) => {
      if (i % parts === part) addFile(builder, i, chunks)
    })
    return { bytes: builder.finish(), dead: new Set<number>() }
  })
}

function addFile(
  builder: ReturnType<typeof createSegmentBuilder>,
  i: number,
  drawn: readonly (readonly string[])[],
): void {
  const lines = drawn.map((words) => `${words.join(" ")}\n`)
  let at = 0
  const chunks = lines.map((line, chunk) => {
    const start = at
    at += line.length
    return { start, end: at, startLine: chunk + 1, endLine: chunk + 1, symbols: [] }
  })
  const comments = new Uint32Array()
  const path = `${String(i).padStart(3, "0")}.ts`
  builder.add({ id: i + 1, path, text: lines.join(""), lines: lines.length, flags: 0, comments, chunks })
}
