import { writePosting } from "../format/posting-code.ts"
import { maxNameBytes, writeNames } from "../format/posting-names.ts"
import { closeList, DictionaryBuilder, LIST_HEAD, LONG_LIST } from "../format/term-dictionary.ts"
import { ESCAPE, encodeTuple } from "../format/tuple-code.ts"
import { type ByteWriter, positionOf, reserveBytes } from "./byte-writer.ts"
import { FREQUENCY_MASK, type PostingColumns, type PostingLog } from "./posting-log.ts"

/**
 * Sorts a log's postings by term and writes them. The documents of a term are already in order, because they were
 * logged in order.
 */
export function encodePostings(log: PostingLog, out: ByteWriter): DictionaryBuilder {
  const order = termsByHash(log)
  const rankOf = new Uint32Array(order.length)
  for (let rank = 0; rank < order.length; rank++) rankOf[order[rank]!] = rank
  const postings = sortByTerm(log.postings, rankOf)
  const names = sortByTerm(log.names, rankOf)
  const dictionary = new DictionaryBuilder(order.length)
  const base = positionOf(out)
  for (let rank = 0; rank < order.length; rank++) {
    const term = order[rank]!
    const start = positionOf(out) - base
    encodeTerm(postings, names, rank, out)
    dictionary.add(log.termHi.values[term]!, log.termLo.values[term]!, start, positionOf(out) - base)
  }
  return dictionary
}

/**
 * Maximum size of a posting in bytes, without its definition names: a gap of five bytes, a code, and three frequencies.
 */
export const MAX_POSTING_BYTES = 9

/** Postings sorted by the rank of their terms. Those of the term with rank r end at `ends[r]`. */
type SortedPostings = { documents: Uint32Array; values: Uint32Array; ends: Uint32Array }

function encodeTerm(postings: SortedPostings, names: SortedPostings, rank: number, out: ByteWriter): void {
  const { documents, values } = postings
  const from = rank === 0 ? 0 : postings.ends[rank - 1]!
  const to = postings.ends[rank]!
  let name = rank === 0 ? 0 : names.ends[rank - 1]!
  const maxBytes = (to - from) * (MAX_POSTING_BYTES + 1) + maxBytesOfNames(names, name, names.ends[rank]!)
  reserveBytes(out, maxBytes + LIST_HEAD)
  const { bytes } = out
  const isShort = maxBytes < LONG_LIST
  let at = isShort ? out.length : out.length + LIST_HEAD
  let previous = -1
  for (let i = from; i < to; i++) {
    const document = documents[i]!
    const frequencies = values[i]!
    at = writeFrequencies(bytes, at, document - previous - 1, frequencies)
    previous = document
    if (frequencies >>> 20 === 0) continue
    let end = name
    while (end < names.ends[rank]! && names.documents[end] === document) end++
    at = writeNames(bytes, at, names.values, name, end)
    name = end
  }
  out.length = isShort ? at : closeList(bytes, out.length, at, to - from)
}

/** Upper bound of the number of bytes that the names of all documents in [from, to) take. */
function maxBytesOfNames({ documents, values }: SortedPostings, from: number, to: number): number {
  let maxBytes = 0
  let start = from
  for (let i = from; i < to; i++) {
    if (i + 1 < to && documents[i + 1] === documents[i]) continue
    maxBytes += maxNameBytes(values, start, i + 1)
    start = i + 1
  }
  return maxBytes
}

function writeFrequencies(bytes: Uint8Array, start: number, gap: number, packed: number): number {
  const first = packed & FREQUENCY_MASK
  const second = (packed >>> 10) & FREQUENCY_MASK
  const third = packed >>> 20
  const code = encodeTuple(first, second, third)
  const at = writePosting(bytes, start, gap, code)
  if (code !== ESCAPE) return at
  bytes[at] = Math.min(first, 255)
  bytes[at + 1] = Math.min(second, 255)
  bytes[at + 2] = Math.min(third, 255)
  return at + 3
}

/**
 * Term numbers sorted by their hashes (hi, lo): first a radix sort by hi, then an insertion sort of the few terms with
 * equal hi.
 */
function termsByHash(log: PostingLog): Uint32Array {
  const hi = log.termHi.view()
  let order = Uint32Array.from(hi.keys())
  let other = new Uint32Array(hi.length)
  const starts = new Uint32Array(1 << 16)
  for (const shift of [0, 16]) {
    starts.fill(0)
    for (let i = 0; i < hi.length; i++) starts[(hi[i]! >>> shift) & 0xffff]!++
    let sum = 0
    for (let digit = 0; digit < starts.length; digit++) {
      const count = starts[digit]!
      starts[digit] = sum
      sum += count
    }
    for (let i = 0; i < order.length; i++) {
      const term = order[i]!
      other[starts[(hi[term]! >>> shift) & 0xffff]!++] = term
    }
    ;[order, other] = [other, order]
  }
  sortTies(order, hi, log.termLo.values)
  return order
}

function sortTies(order: Uint32Array, hi: Uint32Array, lo: Uint32Array): void {
  for (let i = 1; i < order.length; i++) {
    const term = order[i]!
    let at = i
    while (at > 0 && hi[order[at - 1]!] === hi[term] && lo[order[at - 1]!]! > lo[term]!) {
      order[at] = order[at - 1]!
      at--
    }
    order[at] = term
  }
}

function sortByTerm({ terms, documents, values }: PostingColumns, rankOf: Uint32Array): SortedPostings {
  const count = terms.length
  const ends = new Uint32Array(rankOf.length)
  for (let i = 0; i < count; i++) ends[rankOf[terms.values[i]!]!]!++
  let sum = 0
  for (let rank = 0; rank < ends.length; rank++) {
    const count = ends[rank]!
    ends[rank] = sum
    sum += count
  }
  const sorted = { documents: new Uint32Array(count), values: new Uint32Array(count), ends }
  for (let i = 0; i < count; i++) {
    const at = ends[rankOf[terms.values[i]!]!]!++
    sorted.documents[at] = documents.values[i]!
    sorted.values[at] = values.values[i]!
  }
  return sorted
}
