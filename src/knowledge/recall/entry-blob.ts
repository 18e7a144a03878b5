import type { EmbeddingSpace } from "../../embed/port.ts"
import { hashTerm } from "../../text/hash.ts"
import type { Analysed, AnalysedPassage } from "./analyse.ts"
import type { KeptRows } from "./vectors.ts"

/** What is computed of an entry: its terms, and its rows in the vector space. */
export type ComputedEntry = KeptRows & { readonly analysed: Analysed }

/** Grows with every change of how entries are taken apart; what another version wrote is computed anew. */
export const ENTRY_BLOB_VERSION = 3

/** A number for a space; 0 for none. */
export function spaceNumber(space: EmbeddingSpace | null): number {
  if (space === null) return 0
  const name = [space.provider, space.model, space.dimensions, space.version].join("\n")
  return Number(hashTerm(name) & 0xffff_ffffn) || 1
}

/**
 * As 32-bit numbers: the space, the flags, how many of each, then start, end and counts of each passage, then all
 * places and the rows' squares; then the rows; then the terms as JSON.
 */
export function encodeEntry({ analysed, rows, squares }: ComputedEntry, space: number): Uint8Array {
  const { terms, passages, appended, topic, tags, flags } = analysed
  const text = new TextEncoder().encode(JSON.stringify(terms))
  const counts = [passages.length, appended.length, topic.length, tags.length, rows.length, squares.length]
  const numbers = [space, flags, ...counts]
  for (const { start, end, inOrder, besides } of passages)
    numbers.push(start, end, inOrder.length, besides.length)
  for (const { inOrder, besides } of passages) pushAll(numbers, inOrder, besides)
  pushAll(numbers, appended, topic, tags, squares)
  const blob = new Uint8Array(4 + numbers.length * 4 + rows.length + text.length)
  blob.set(bytesOf(Uint32Array.of(numbers.length)))
  blob.set(bytesOf(Uint32Array.from(numbers)), 4)
  blob.set(bytesOf(rows), 4 + numbers.length * 4)
  blob.set(text, 4 + numbers.length * 4 + rows.length)
  return blob
}

/** Null where it is of another space, or damaged. */
export function decodeEntry(blob: Uint8Array, space: number): ComputedEntry | null {
  try {
    const bytes = blob.byteOffset % 4 === 0 ? blob : blob.slice()
    const count = new Uint32Array(bytes.buffer, bytes.byteOffset, 1)[0]!
    const numbers = new Uint32Array(bytes.buffer, bytes.byteOffset + 4, count)
    const rowsAt = 4 + count * 4
    const rowCount = numbers[6]!
    if (numbers[0] !== space || rowsAt + rowCount > bytes.length) return null
    const rows = new Int8Array(bytes.buffer, bytes.byteOffset + rowsAt, rowCount)
    const terms: unknown = JSON.parse(decoder.decode(bytes.subarray(rowsAt + rowCount)))
    if (!isTerms(terms)) return null
    return { analysed: readNumbers(numbers, terms), rows, squares: numbers.subarray(count - numbers[7]!) }
  } catch {
    return null
  }
}

const HEAD = 8
const decoder = new TextDecoder("utf-8", { fatal: true })

function readNumbers(numbers: Uint32Array, terms: readonly string[]): Analysed {
  const [, flags = 0, passageCount = 0, appended = 0, topic = 0, tags = 0] = numbers
  let at = HEAD + passageCount * 4
  const take = (count: number) => {
    at += count
    return numbers.subarray(at - count, at)
  }
  const passages: AnalysedPassage[] = []
  for (let head = HEAD; head < HEAD + passageCount * 4; head += 4) {
    const inOrder = take(numbers[head + 2]!)
    const besides = take(numbers[head + 3]!)
    passages.push({ start: numbers[head]!, end: numbers[head + 1]!, inOrder, besides })
  }
  return { terms, passages, flags, appended: take(appended), topic: take(topic), tags: take(tags) }
}

function isTerms(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((term) => typeof term === "string")
}

function pushAll(numbers: number[], ...lists: readonly ArrayLike<number>[]): void {
  for (const list of lists) for (let i = 0; i < list.length; i++) numbers.push(list[i]!)
}

function bytesOf(array: Uint32Array | Int8Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
}
