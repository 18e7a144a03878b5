import { type ByteWriter, reserveBytes } from "./byte-writer.ts"
import { FREQUENCY_MASK, type PostingLog } from "./posting-log.ts"
import { ESCAPE, encodeTuple } from "./tuple-code.ts"

/** The dictionary that belongs to encoded postings; `at` has one more entry, the end of the last. */
export type Dictionary = { hi: Uint32Array; lo: Uint32Array; at: Uint32Array }

/**
 * Sorts a log's postings by term and writes them; documents are in order already, having come in order. A log
 * of names has no frequencies, only differences are written.
 */
export function encodePostings(log: PostingLog, out: ByteWriter, withFrequencies: boolean): Dictionary {
  const order = termsByHash(log)
  const terms = order.length
  const ends = postingEnds(log, order)
  const sorted = scatter(log, order, ends)
  const dictionary = {
    hi: new Uint32Array(terms),
    lo: new Uint32Array(terms),
    at: new Uint32Array(terms + 1),
  }
  const start = out.length
  for (let rank = 0; rank < terms; rank++) {
    const term = order[rank]!
    dictionary.hi[rank] = log.termHi.values[term]!
    dictionary.lo[rank] = log.termLo.values[term]!
    dictionary.at[rank] = out.length - start
    encodeTerm(sorted, rank === 0 ? 0 : ends[rank - 1]!, ends[rank]!, out, withFrequencies)
  }
  dictionary.at[terms] = out.length - start
  return dictionary
}

/** Bytes one posting takes at most: a five-byte varint, a code, three frequencies. */
export const LONGEST_POSTING = 9

/** A varint, seven bits a byte, lowest first; the caller has reserved five bytes. */
export function writeGap(bytes: Uint8Array, at: number, gap: number): number {
  let end = at
  let rest = gap
  while (rest > 127) {
    bytes[end++] = (rest & 127) | 128
    rest >>>= 7
  }
  bytes[end++] = rest
  return end
}

type Sorted = { documents: Uint32Array; frequencies: Uint32Array }

function encodeTerm(
  { documents, frequencies }: Sorted,
  from: number,
  to: number,
  out: ByteWriter,
  withFrequencies: boolean,
): void {
  reserveBytes(out, (to - from) * LONGEST_POSTING)
  let at = out.length
  let before = -1
  for (let i = from; i < to; i++) {
    const document = documents[i]!
    at = writeGap(out.bytes, at, document - before - 1)
    if (withFrequencies) at = writeFrequencies(out.bytes, at, frequencies[i]!)
    before = document
  }
  out.length = at
}

function writeFrequencies(bytes: Uint8Array, at: number, packed: number): number {
  const first = packed & FREQUENCY_MASK
  const second = (packed >>> 10) & FREQUENCY_MASK
  const third = packed >>> 20
  const code = encodeTuple(first, second, third)
  bytes[at] = code
  if (code !== ESCAPE) return at + 1
  bytes[at + 1] = Math.min(first, 255)
  bytes[at + 2] = Math.min(second, 255)
  bytes[at + 3] = Math.min(third, 255)
  return at + 4
}

/** Term numbers by (hi, lo): a radix sort over hi, then a look at the few that share it. */
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

/** Where each term's postings begin, by rank; `scatter` moves each to where they end. */
function postingEnds(log: PostingLog, order: Uint32Array): Uint32Array {
  const counts = new Uint32Array(order.length)
  for (let i = 0; i < log.terms.length; i++) counts[log.terms.values[i]!]!++
  const places = new Uint32Array(order.length)
  let sum = 0
  for (let rank = 0; rank < order.length; rank++) {
    places[rank] = sum
    sum += counts[order[rank]!]!
  }
  return places
}

function scatter(log: PostingLog, order: Uint32Array, places: Uint32Array): Sorted {
  const rankOf = new Uint32Array(order.length)
  for (let rank = 0; rank < order.length; rank++) rankOf[order[rank]!] = rank
  const count = log.terms.length
  const documents = new Uint32Array(count)
  const frequencies = new Uint32Array(count)
  for (let i = 0; i < count; i++) {
    const at = places[rankOf[log.terms.values[i]!]!]!++
    documents[at] = log.documents.values[i]!
    frequencies[at] = log.frequencies.values[i]!
  }
  return { documents, frequencies }
}
