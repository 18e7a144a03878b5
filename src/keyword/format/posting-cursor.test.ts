import { expect, test } from "bun:test"
import fc from "fast-check"
import { writePosting } from "./posting-code.ts"
import { PostingCursor } from "./posting-cursor.ts"
import { writeNames } from "./posting-names.ts"
import { ESCAPE, encodeTuple } from "./tuple-code.ts"

type Posting = { readonly document: number; readonly code: number }

/** A list of postings with documents in ascending order; every third has a definition name, some are escaped. */
function listOf(documents: readonly number[]): { bytes: Uint8Array; postings: Posting[] } {
  const bytes = new Uint8Array(documents.length * 16)
  const postings: Posting[] = []
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
