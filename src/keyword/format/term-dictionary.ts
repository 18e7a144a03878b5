import type { SegmentWriter } from "../build/segment-writer.ts"

/**
 * The dictionary of a segment that is being built: its terms in order, and the number of bytes of each term's postings.
 */
export class DictionaryBuilder {
  readonly hi: Uint32Array
  readonly lo: Uint32Array
  readonly lengths: Uint8Array
  readonly blocks: Uint32Array
  terms = 0

  /**
   * `maxTerms` is the size of the arrays. Memory pages that are not written cost nothing, whereas growing would copy
   * megabytes.
   */
  constructor(maxTerms: number) {
    this.hi = new Uint32Array(maxTerms)
    this.lo = new Uint32Array(maxTerms)
    this.lengths = new Uint8Array(maxTerms)
    this.blocks = new Uint32Array(blockCount(maxTerms))
  }

  /** Adds a term whose postings, including the head, are the bytes from `start` to `end`. */
  add(hi: number, lo: number, start: number, end: number): void {
    const term = this.terms++
    this.hi[term] = hi
    this.lo[term] = lo
    this.lengths[term] = Math.min(end - start, LONG_LIST)
    if (term % TERMS_PER_BLOCK === 0) this.blocks[term / TERMS_PER_BLOCK] = start
  }

  write(writer: SegmentWriter): void {
    const { terms } = this
    writer.add("termHi", this.hi.subarray(0, terms))
    writer.add("termLo", this.lo.subarray(0, terms))
    writer.add("termLength", this.lengths.subarray(0, terms))
    writer.add("termBlock", this.blocks.subarray(0, blockCount(terms)))
  }
}

/**
 * The position of postings is stored only for the first of this many terms. For the others, the lengths in between are
 * added up.
 */
export const TERMS_PER_BLOCK = 16
/**
 * A list of this many bytes or more begins with a head: the number of bytes after the head, and the number of
 * documents, as two 32-bit unsigned integers.
 */
export const LONG_LIST = 255
export const LIST_HEAD = 8

export function blockCount(terms: number): number {
  return Math.ceil(terms / TERMS_PER_BLOCK)
}

/**
 * Completes a list that was written at `start` + LIST_HEAD: adds the head, or moves a short list to `start`. Returns
 * the end of the list.
 */
export function closeList(bytes: Uint8Array, start: number, end: number, documents: number): number {
  const length = end - start - LIST_HEAD
  if (length < LONG_LIST) {
    bytes.copyWithin(start, start + LIST_HEAD, end)
    return end - LIST_HEAD
  }
  writeU32(bytes, start, length)
  writeU32(bytes, start + 4, documents)
  return end
}

export function readU32(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0
}

function writeU32(bytes: Uint8Array, at: number, value: number): void {
  for (let i = 0; i < 4; i++) bytes[at + i] = value >>> (8 * i)
}
