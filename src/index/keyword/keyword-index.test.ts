import { expect, test } from "bun:test"
import fc from "fast-check"
import { compoundOf } from "../../text/terms/abbreviations.ts"
import { hashTerm } from "../../text/terms/hash.ts"
import { queryTerms } from "../../text/terms/query-terms.ts"
import { stem } from "../../text/terms/stem.ts"
import { createSegmentBuilder } from "./build.ts"
import { openKeywordIndex } from "./keyword-index.ts"
import { mergeSegments } from "./merge.ts"
import type { FileHit } from "./port.ts"
import { openState } from "./state.ts"

const none: ReadonlySet<number> = new Set()

/** A file of one-word lines, each line a chunk. */
function segment(id: number, path: string, words: readonly string[]): Uint8Array {
  const builder = createSegmentBuilder()
  let at = 0
  const chunks = words.map((word, i) => {
    const start = at
    at += word.length + 1
    return { start, end: at, startLine: i + 1, endLine: i + 1, symbols: [] }
  })
  const text = words.map((word) => `${word}\n`).join("")
  builder.add({ id, path, text, lines: words.length, flags: 0, comments: new Uint32Array(), chunks })
  return builder.finish()
}

const ask = (text: string) => ({ terms: queryTerms(text), files: 10 })

test("orders equal scores by path, whatever the order of segments", () => {
  const parts = ["c.ts", "a.ts", "b.ts"].map((path, i) => ({
    bytes: segment(i + 1, path, ["alpha"]),
    dead: none,
  }))
  const limited = { ...ask("alpha"), files: 2 }
  expect(
    openKeywordIndex(parts)
      .query(limited)
      .files.map(({ path }) => path),
  ).toEqual(["a.ts", "b.ts"])
})

test("is not affected by previous queries", () => {
  const index = openKeywordIndex([{ bytes: segment(1, "a.ts", ["alpha", "beta", "alpha"]), dead: none }])
  const first = index.query(ask("alpha beta"))
  index.query(ask("beta"))
  expect(index.query(ask("alpha beta"))).toEqual(first)
})

test("scores a cached word the same as an uncached one", () => {
  const files = Array.from({ length: 300 }, (_, i) => {
    const words = ["alpha", i % 3 === 0 ? "alphaBeta" : "beta", "gamma", i % 7 === 0 ? "alphabeta" : "alpha"]
    return { bytes: segment(i + 1, `${i}.ts`, words), dead: none }
  })
  const bytes = mergeSegments(files)
  const parts = [{ bytes, dead: new Set([22, 43]) }]
  const asked = openKeywordIndex(parts)
  for (const text of ["alpha", "beta", "alphaBeta"]) asked.query(ask(text))
  for (const text of ["alpha beta", "gamma alpha beta", "alpha beta"])
    expect(asked.query(ask(text))).toEqual(openKeywordIndex(parts).query(ask(text)))
})

const WORDS = ["alpha", "beta", "gamma", "delta", "epsilon"]
const variant = fc.record({ word: fc.constantFrom(...WORDS), weight: fc.constantFrom(0, 0, 1e-46, 0.25, 1) })

test("counts each file once for terms of any weight in any order", () => {
  const weighted = fc.array(fc.array(variant, { minLength: 1, maxLength: 3 }), { maxLength: 12 })
  const texts = fc.array(fc.array(fc.constantFrom(...WORDS), { maxLength: 6 }), {
    minLength: 1,
    maxLength: 12,
  })
  fc.assert(
    fc.property(texts, weighted, fc.integer({ min: 1, max: 4 }), (files, terms, limit) => {
      const bytes = mergeSegments(
        files.map((words, i) => ({ bytes: segment(i + 1, `${i}.ts`, words), dead: none })),
      )
      const index = openKeywordIndex([{ bytes, dead: none }])
      const query = terms.map((variants) => ({
        variants: variants.map(({ word, weight }) => ({ hash: hashTerm(stem(word)), weight })),
      }))
      const answer = index.query({ terms: query, files: limit })
      const matches = (words: readonly string[]) =>
        terms.some((variants) => {
          // Variants that no file contains have no posting list, so they do not take part.
          const present = variants.filter(({ word }) => files.some((others) => others.includes(word)))
          const isMention = present.every(({ weight }) => weight === 0)
          return variants.some(
            ({ word, weight }) => (isMention || Math.fround(weight) > 0) && words.includes(word),
          )
        })
      const ids = answer.files.map(({ id }) => id)
      expect(new Set(ids).size).toBe(ids.length)
      expect(answer.matchedFiles).toBe(files.filter(matches).length)
      expect(ids.length).toBeGreaterThanOrEqual(Math.min(limit, answer.matchedFiles))
      const reversed = index.query({ terms: query.toReversed(), files: limit })
      expect(reversed.matchedFiles).toBe(answer.matchedFiles)
      // Variants of weight 0 do not change scores.
      const scoring = query.filter(({ variants }) => variants.some(({ weight }) => weight > 0))
      const scored = index.query({ terms: scoring, files: files.length })
      const scores = new Map(scored.files.map((file) => [file.id, file.score]))
      for (const { id, score } of answer.files) expect(score).toBe(scores.get(id) ?? 0)
    }),
  )
})

test("stays usable after `accept` threw", () => {
  const index = openKeywordIndex([{ bytes: segment(1, "a.ts", ["alpha"]), dead: none }])
  const before = index.query(ask("alpha"))
  const refuse = () => {
    throw new Error("no")
  }
  expect(() => index.query({ ...ask("alpha"), accept: refuse })).toThrow("no")
  expect(index.query(ask("alpha"))).toEqual(before)
})

test("stays usable after a failed read", () => {
  const files = Array.from({ length: 60 }, (_, i) => {
    const words = [i % 3 === 0 ? "alphabeta" : "alpha", "beta", i % 3 === 1 ? "gammadelta" : "gamma", "delta"]
    return { bytes: segment(i + 1, `${i}.ts`, words), dead: none }
  })
  const bytes = mergeSegments(files)
  const wanted = openKeywordIndex([{ bytes: bytes.slice(), dead: none }]).query(ask("gamma delta"))
  const index = openKeywordIndex([{ bytes, dead: none }])
  const { postings } = openState(bytes).segment.words
  const { load } = postings
  const readsOf = (failing: number) => {
    let reads = 0
    postings.load = (start, end) => {
      if (reads++ === failing) throw new Error("no")
      return load(start, end)
    }
    try {
      index.query(ask("alpha beta"))
    } catch (error) {
      expect(error).toEqual(new Error("no"))
    } finally {
      postings.load = load
    }
    return reads
  }
  const all = readsOf(-1)
  for (let failing = 0; failing < all; failing++) {
    expect(readsOf(failing)).toBe(failing + 1)
    expect(index.query(ask("gamma delta"))).toEqual(wanted)
  }
})

test("returns the twelve best chunks of a file, earlier ones first among equals", () => {
  const index = openKeywordIndex([{ bytes: segment(1, "a.ts", new Array(20).fill("alpha")), dead: none }])
  const [file] = index.query(ask("alpha")).files
  expect(file!.chunks.map(({ ordinal }) => ordinal)).toEqual([...Array(12).keys()])
  expect(file!.chunkCount).toBe(20)
})

test("finds the new version of an updated file and not the old one", () => {
  const old = { bytes: segment(1, "a.ts", ["alpha"]), dead: new Set([1]) }
  const index = openKeywordIndex([old, { bytes: segment(2, "a.ts", ["beta"]), dead: none }])
  expect(index.query(ask("alpha")).files).toEqual([])
  expect(index.query(ask("beta")).files.map(({ id }) => id)).toEqual([2])
  expect(index.holding(hashTerm("alpha"))).toEqual({ files: 0, chunks: 0 })
  expect(index.holding(hashTerm("beta"))).toEqual({ files: 1, chunks: 1 })
})

test("returns files requested by id even without a match, unless they are dead", () => {
  const index = openKeywordIndex([
    { bytes: segment(1, "a.ts", ["alpha"]), dead: none },
    { bytes: segment(2, "b.ts", ["beta"]), dead: new Set([2]) },
  ])
  const [file, ...others] = index.query({ ...ask("zebra"), include: [1, 2, 3] }).files
  expect([file?.id, file?.score, file?.chunks, others]).toEqual([1, 0, [], []])
})

test("cuts a query with more terms than a mask has bits", () => {
  const index = openKeywordIndex([{ bytes: segment(1, "a.ts", ["alpha"]), dead: none }])
  const term = { variants: [{ hash: hashTerm("alpha"), weight: 1 }] }
  expect(index.query({ terms: new Array(40).fill(term), files: 1 }).fileIdf.length).toBe(31)
})

test("estimates how many documents contain a term", () => {
  const words = Array.from({ length: 3000 }, (_, i) =>
    i % 300 === 0 ? "rare" : i % 3 === 0 ? "common" : "other",
  )
  const index = openKeywordIndex([{ bytes: segment(1, "a.ts", words), dead: none }])
  const estimate = (hash: bigint) => index.estimate(Number(hash >> 32n), Number(hash & 0xffff_ffffn))
  const off = (word: string) => estimate(hashTerm(stem(word))) / index.holding(hashTerm(stem(word))).chunks
  for (const word of ["rare", "common", "other"]) {
    expect(off(word)).toBeGreaterThan(0.6)
    expect(off(word)).toBeLessThan(1.6)
  }
  expect(estimate(hashTerm("zebra"))).toBe(0)
})

test("counts short lists exactly, without dead files, however segments are split", () => {
  const estimate = (parts: Parameters<typeof openKeywordIndex>[0]) => {
    const hash = hashTerm("alpha")
    return openKeywordIndex(parts).estimate(Number(hash >> 32n), Number(hash & 0xffff_ffffn))
  }
  const parts = Array.from({ length: 20 }, (_, i) => ({
    bytes: segment(i + 1, `${i}.ts`, i % 2 === 0 ? ["alpha"] : ["beta", "alpha"]),
    dead: new Set([3, 4]),
  }))
  const folded = [{ bytes: mergeSegments(parts), dead: none }]
  expect(estimate(parts)).toBe(18)
  expect(estimate(folded)).toBe(18)
})

test("returns the largest estimates among many terms", () => {
  const names = Array.from({ length: 60 }, (_, i) => `name${String.fromCharCode(97 + (i % 26))}x${i}`)
  const parts = Array.from({ length: 40 }, (_, file) => ({
    bytes: segment(file + 1, `${file}.ts`, names.slice(file % 7, 3 + ((file * 13) % 57))),
    dead: new Set(file % 5 === 0 ? [file + 1] : []),
  }))
  const index = openKeywordIndex(parts)
  const hashes = new Uint32Array(names.length * 2)
  const estimates = names.map((name, i) => {
    const hash = hashTerm(compoundOf(name))
    hashes.set([Number(hash >> 32n), Number(hash & 0xffff_ffffn)], i * 2)
    return index.estimate(hashes[i * 2]!, hashes[i * 2 + 1]!)
  })
  const largest = estimates.toSorted((a, b) => b - a).slice(0, 5)
  expect(largest[0]).toBeGreaterThan(5)
  expect(index.mostMentioned(new Uint8Array(hashes.buffer), 5)).toEqual(largest)
})

test("returns some files with a term without reading the whole list", () => {
  const files = Array.from({ length: 5 }, (_, i) => ({
    bytes: segment(i + 1, `${i}.ts`, ["alpha"]),
    dead: none,
  }))
  const index = openKeywordIndex(files)
  expect(index.someHolders(hashTerm("alpha"), 3)).toEqual([1, 2, 3])
  expect(index.someHolders(hashTerm("beta"), 3)).toEqual([])
  expect([...index.holders(hashTerm("alpha"))]).toEqual([1, 2, 3, 4, 5])
})

const DRAWN_WORDS = ["alpha", "beta", "gamma", "delta"] as const

/** Chunks as lists of words. */
const files = fc.array(
  fc.array(fc.array(fc.constantFrom(...DRAWN_WORDS, "other", "filler"), { minLength: 1, maxLength: 9 }), {
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
      fc.subarray([...DRAWN_WORDS], { minLength: 1 }),
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
