import { expect, test } from "bun:test"
import fc from "fast-check"
import {
  CODE,
  CODE_MASK,
  decodeLength,
  ESCAPE,
  encodeLength,
  encodeTuple,
  FIELD_BITS,
  FIRST,
  FIRST_ONLY,
  fieldBits,
  GAP,
  GAP_BYTES,
  HEAD_BYTES,
  LONG_GAPS,
  longGap,
  maxNameBytes,
  PostingCursor,
  SECOND,
  THIRD,
  tailEnd,
  writeNames,
  writePosting,
} from "./codes.ts"

test("maps each code to one tuple and back", () => {
  const seen = new Set<number>()
  for (let first = 0; first < 100; first++) {
    for (let second = 0; second < 50; second++) {
      for (let third = 0; third < 20; third++) {
        if (first + second + third === 0) continue
        const code = encodeTuple(first, second, third)
        if (code === ESCAPE) continue
        expect(seen.has(code)).toBe(false)
        seen.add(code)
        expect([FIRST[code], SECOND[code], THIRD[code]]).toEqual([first, second, third])
        expect(FIELD_BITS[code]).toBe(fieldBits(first, second, third))
        expect(code < FIRST_ONLY).toBe(second + third === 0)
      }
    }
  }
  expect(seen.size).toBe(255)
})

test("escapes rare tuples", () => {
  expect(encodeTuple(81, 0, 0)).toBe(ESCAPE)
  expect(encodeTuple(9, 9, 0)).toBe(ESCAPE)
  expect(encodeTuple(1, 1, 2)).toBe(ESCAPE)
})

test("stores short lengths exactly and longer ones at most 6 % too low", () => {
  for (let words = 0; words < 524_288; words += words < 4096 ? 1 : 61) {
    const length = decodeLength(encodeLength(words))
    expect(length <= words && length >= words * 0.94).toBe(true)
    if (words < 64 && words % 2 === 0) expect(length).toBe(words)
  }
})

test("orders codes by length up to 255", () => {
  for (let code = 1; code < 256; code++) {
    expect(decodeLength(code)).toBeGreaterThan(decodeLength(code - 1))
    expect(encodeLength(decodeLength(code))).toBe(code)
  }
  expect(encodeLength(4_000_000_000)).toBe(255)
})

type Posting = { readonly gap: number; readonly code: number }

function read(bytes: Uint8Array, start: number): Posting & { readonly at: number } {
  const first = bytes[start]!
  const code = CODE[first]! | (bytes[start + 1]! & CODE_MASK[first]!)
  const at = start + HEAD_BYTES[first]!
  if (first < LONG_GAPS) return { gap: GAP[first]!, code, at }
  return { gap: longGap(bytes, at, first), code, at: at + GAP_BYTES[first]! }
}

test("decodes every gap and code at the borders of the encodings", () => {
  const borders = [0, 1, 7, 8, 47, 48, 63, 64, 65, 319, 320, 5951, 5952, 65_535, 65_536, 524_287, 524_288]
  const gaps = fc.oneof(fc.constantFrom(...borders), fc.nat(600), fc.nat(0x7fff_ffff))
  const posting = fc.record({ gap: gaps, code: fc.nat(255) })
  fc.assert(
    fc.property(fc.array(posting, { maxLength: 50 }), (postings) => {
      const bytes = new Uint8Array(postings.length * 6 + 1)
      let end = 0
      for (const { gap, code } of postings) end = writePosting(bytes, end, gap, code)
      let at = 0
      for (const { gap, code } of postings) {
        const found = read(bytes, at)
        expect([found.gap, found.code]).toEqual([gap, code])
        at = found.at
      }
      expect(at).toBe(end)
    }),
  )
})

test("encodes the most frequent postings in one byte", () => {
  for (const [gap, first, second, third] of [
    [0, 1, 0, 0],
    [47, 1, 0, 0],
    [23, 0, 1, 0],
    [11, 1, 0, 1],
  ] as const) {
    expect(writePosting(new Uint8Array(8), 0, gap, encodeTuple(first, second, third))).toBe(1)
  }
})

test("finds the end of names, within the upper bound of their bytes", () => {
  const symbols = fc.uniqueArray(fc.oneof(fc.nat(70), fc.nat(5000)), { maxLength: 40 })
  fc.assert(
    fc.property(symbols, fc.nat(1), (places, flag) => {
      const names = Uint32Array.from(
        places.sort((a, b) => a - b),
        (place) => place * 2 + flag,
      )
      const max = maxNameBytes(names, 0, names.length)
      const bytes = new Uint8Array(max + 1)
      const end = writeNames(bytes, 0, names, 0, names.length)
      expect(end).toBeLessThanOrEqual(max)
      expect(tailEnd(bytes, 0, THIRD.indexOf(1))).toBe(end)
    }),
  )
})

test("skips escaped frequencies and the names after them", () => {
  expect(tailEnd(Uint8Array.of(200, 1, 0, 9), 0, ESCAPE)).toBe(3)
  expect(tailEnd(Uint8Array.of(200, 1, 2, 0, 9), 0, ESCAPE)).toBe(4)
})

type WrittenPosting = { readonly document: number; readonly code: number }

/** A list of postings with documents in ascending order; every third has a definition name, some are escaped. */
function listOf(documents: readonly number[]): { bytes: Uint8Array; postings: WrittenPosting[] } {
  const bytes = new Uint8Array(documents.length * 16)
  const postings: WrittenPosting[] = []
  let at = 0
  let previous = -1
  for (const [i, document] of documents.entries()) {
    const third = i % 3 === 0 ? 1 : 0
    const first = i % 7 === 0 ? 200 : (i % 5) + 1
    const code = encodeTuple(first, 0, third)
    at = writePosting(bytes, at, document - previous - 1, code)
    if (code === ESCAPE) {
      bytes.set([first, 0, third], at)
      at += 3
    }
    if (third > 0) at = writeNames(bytes, at, Uint32Array.of(i << 1), 0, 1)
    previous = document
    postings.push({ document, code })
  }
  return { bytes: bytes.slice(0, at), postings }
}

function opened(bytes: Uint8Array, limit = 2 ** 32): PostingCursor {
  const cursor = new PostingCursor()
  cursor.open(bytes, 0, bytes.length, limit)
  return cursor
}

const documents = fc
  .uniqueArray(fc.nat(1_000_000), { maxLength: 200 })
  .map((numbers) => numbers.sort((a, b) => a - b))

test("returns every posting in order, then false", () => {
  fc.assert(
    fc.property(documents, (numbers) => {
      const { bytes, postings } = listOf(numbers)
      const cursor = opened(bytes)
      for (const posting of postings) {
        expect(cursor.next()).toBe(true)
        expect({ document: cursor.document, code: cursor.code }).toEqual(posting)
      }
      expect([cursor.next(), cursor.next(), cursor.at]).toEqual([false, false, bytes.length])
    }),
  )
})

test("stops before the limit in the middle of a list", () => {
  fc.assert(
    fc.property(documents, fc.nat(1_000_000), (numbers, limit) => {
      const cursor = opened(listOf(numbers).bytes, limit)
      const read: number[] = []
      while (cursor.next()) read.push(cursor.document)
      expect(read).toEqual(numbers.filter((number) => number < limit))
    }),
  )
})

test("seeks the first posting at or after a document and stays there when called again", () => {
  fc.assert(
    fc.property(documents, fc.array(fc.nat(1_000_000), { maxLength: 20 }), (numbers, targets) => {
      const cursor = opened(listOf(numbers).bytes)
      for (const target of targets.sort((a, b) => a - b)) {
        const expected = numbers.find((number) => number >= target)
        expect(cursor.seek(target)).toBe(expected !== undefined)
        if (expected !== undefined) expect([cursor.seek(target), cursor.document]).toEqual([true, expected])
      }
    }),
  )
})

test("continues from the previous document when opened in the middle of a list", () => {
  const { bytes } = listOf([3, 9, 400, 70_000])
  const cursor = opened(bytes)
  cursor.next()
  cursor.next()
  const { at, document } = cursor
  cursor.open(bytes, at, bytes.length, 100_000, document)
  expect([cursor.next(), cursor.document]).toEqual([true, 400])
  expect([cursor.seek(401), cursor.document]).toEqual([true, 70_000])
})
