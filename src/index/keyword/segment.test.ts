import { expect, test } from "bun:test"
import fc from "fast-check"
import { AmanError } from "../../base/errors.ts"
import { queryTerms } from "../../text/terms/query-terms.ts"
import { createSegmentBuilder } from "./build.ts"
import { MORE } from "./codes.ts"
import { openKeywordIndex } from "./keyword-index.ts"
import { mergeSegments } from "./merge.ts"
import type { KeywordFile } from "./port.ts"
import { ArrayColumn, filePath, findTerm, openSegment, postingRange, postingsInMemory } from "./segment.ts"

const none: ReadonlySet<number> = new Set()

function file(id: number, path: string, text: string, names: readonly string[] = []): KeywordFile {
  const symbols = names.map((name) => ({ name }))
  const chunks = [{ start: 0, end: text.length, startLine: 1, endLine: 2, symbols }]
  return { id, path, text, lines: 2, flags: 5, comments: new Uint32Array(), chunks }
}

function segment(...files: readonly KeywordFile[]): Uint8Array {
  const builder = createSegmentBuilder()
  for (const one of files) builder.add(one)
  return builder.finish()
}

const sample = () =>
  segment(
    file(7, "a/one.ts", "alpha beta gamma ".repeat(30), ["alphaBeta", "gamma"]),
    file(9, "b/größe.ts", "beta ".repeat(400)),
  )

test("returns what was added", () => {
  const opened = openSegment(sample())
  expect([opened.files, opened.documents, opened.symbols, opened.sorted]).toEqual([2, 4, 2, 1])
  expect([...opened.fileId]).toEqual([7, 9])
  expect([filePath(opened, 0), filePath(opened, 1)]).toEqual(["a/one.ts", "b/größe.ts"])
  expect([...opened.fileBody]).toEqual([90, 400])
  expect([...opened.symbolWords]).toEqual([2, 1])
})

test("opens a segment at any offset of a larger buffer", () => {
  const bytes = sample()
  const shifted = new Uint8Array(bytes.length + 3)
  shifted.set(bytes, 3)
  expect(openSegment(shifted.subarray(3)).files).toBe(2)
})

test("starts with empty buffers after each segment", () => {
  const builder = createSegmentBuilder()
  const one = file(1, "z.ts", "alpha")
  builder.add(file(3, "b.ts", "beta gamma", ["beta"]))
  builder.finish()
  expect(builder.size().files).toBe(0)
  builder.add(one)
  expect(Bun.hash(builder.finish())).toBe(Bun.hash(segment(one)))
})

test("estimates the size of a segment well enough to plan batches", () => {
  const builder = createSegmentBuilder()
  const word = (n: number) => `word${String.fromCharCode(97 + (n % 26), 97 + (Math.floor(n / 26) % 26))}`
  for (let i = 0; i < 300; i++) {
    builder.add(file(i + 1, `f${i}.ts`, Array.from({ length: 200 }, (_, n) => word(n * (i % 7))).join(" ")))
  }
  const { bytes } = builder.size()
  const real = builder.finish().length
  expect(bytes).toBeGreaterThan(real * 0.6)
  expect(bytes).toBeLessThan(real * 1.6)
})

test("refuses foreign, truncated and other formats as corrupt", () => {
  const bytes = sample()
  const foreign = bytes.slice()
  foreign[0]! ^= 1
  const newer = bytes.slice()
  newer[4]! += 1
  for (const broken of [
    new Uint8Array(),
    bytes.slice(0, 100),
    bytes.slice(0, bytes.length - 8),
    foreign,
    newer,
  ]) {
    expect(() => openSegment(broken)).toThrow(AmanError)
  }
})

test("refuses to merge a posting that runs into the next term's list", () => {
  const whole = sample()
  const { words } = openSegment(whole)
  const codes = Array.from({ length: words.hi.length }, (_, term) => {
    const bytes = whole.slice()
    const damaged = openSegment(bytes).words
    damaged.postings.bytes[postingRange(damaged, term).end - 1]! |= MORE
    try {
      mergeSegments([{ bytes, dead: none }])
      return null
    } catch (error) {
      return (error as AmanError).code
    }
  })
  expect(codes).toContain("INDEX_CORRUPT")
})

test("refuses or answers any damaged segment without crashing or hanging", () => {
  const whole = sample()
  const damage = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(damage, (changes) => {
      const bytes = whole.slice()
      for (const [at, value] of changes) bytes[at] = value
      try {
        openKeywordIndex([{ bytes, dead: none }]).query({ terms: queryTerms("alpha beta"), files: 5 })
        mergeSegments([{ bytes, dead: none }])
      } catch (error) {
        expect(error).toBeInstanceOf(AmanError)
      }
    }),
    { numRuns: 2000 },
  )
})

const half = fc.oneof(fc.nat(3), fc.integer({ min: 0xffff_fff0, max: 0xffff_ffff }), fc.nat(0x7fff_ffff))

test("finds every term and no other, however the hashes cluster", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(half, half), { maxLength: 300 }), half, half, (drawn, hi, lo) => {
      const terms = [...new Map(drawn.map((term) => [term.join(), term])).values()]
      terms.sort((a, b) => a[0] - b[0] || a[1] - b[1])
      const space = {
        hi: new ArrayColumn(Uint32Array.from(terms, (term) => term[0])),
        lo: new ArrayColumn(Uint32Array.from(terms, (term) => term[1])),
        lengths: new ArrayColumn(new Uint8Array(terms.length)),
        blocks: new ArrayColumn(new Uint32Array(Math.ceil(terms.length / 16))),
        postings: postingsInMemory(new Uint8Array()),
      }
      terms.forEach((term, i) => {
        expect(findTerm(space, term[0], term[1])).toBe(i)
      })
      expect(findTerm(space, hi, lo)).toBe(terms.findIndex((term) => term[0] === hi && term[1] === lo))
    }),
  )
})
