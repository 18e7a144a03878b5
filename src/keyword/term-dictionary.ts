import type { SegmentWriter } from "./segment-writer.ts"

/** The dictionary of a segment under construction: terms in their order, and how many bytes of postings each has. */
export class DictionaryBuilder {
  readonly hi: Uint32Array
  readonly lo: Uint32Array
  readonly lengths: Uint8Array
  readonly blocks: Uint32Array
  terms = 0

  /** For so many terms at most: pages that are never written cost nothing, and growing would copy megabytes. */
  constructor(most: number) {
    this.hi = new Uint32Array(most)
    this.lo = new Uint32Array(most)
    this.lengths = new Uint8Array(most)
    this.blocks = new Uint32Array(blocksOf(most))
  }

  /** A term whose postings, their head included, stand from `start` to `end`. */
  add(hi: number, lo: number, start: number, end: number): void {
    const term = this.terms++
    this.hi[term] = hi
    this.lo[term] = lo
    this.lengths[term] = Math.min(end - start, LONG_LIST)
    if (term % TERMS_A_BLOCK === 0) this.blocks[term / TERMS_A_BLOCK] = start
  }

  write(writer: SegmentWriter): void {
    const { terms } = this
    writer.add("termHi", this.hi.subarray(0, terms))
    writer.add("termLo", this.lo.subarray(0, terms))
    writer.add("termLength", this.lengths.subarray(0, terms))
    writer.add("termBlock", this.blocks.subarray(0, blocksOf(terms)))
  }
}

/** Where the postings of every so many terms begin is told; between, their lengths are summed. */
export const TERMS_A_BLOCK = 16
/** Lists of so many bytes or more have a head: how many bytes follow it, and of how many documents, each as u32. */
export const LONG_LIST = 255
export const LIST_HEAD = 8

export function blocksOf(terms: number): number {
  return Math.ceil(terms / TERMS_A_BLOCK)
}

/** Puts the head before a list that was written LIST_HEAD behind `start`, or moves it there. Returns its end. */
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
