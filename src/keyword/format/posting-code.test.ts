import { expect, test } from "bun:test"
import fc from "fast-check"
import {
  CODE,
  CODE_MASK,
  GAP,
  GAP_BYTES,
  HEAD_BYTES,
  LONG_GAPS,
  longGap,
  writePosting,
} from "./posting-code.ts"
import { maxNameBytes, tailEnd, writeNames } from "./posting-names.ts"
import { ESCAPE, encodeTuple, THIRD } from "./tuple-code.ts"

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
