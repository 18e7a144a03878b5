import { findTerm, postingRange } from "./find-term.ts"
import { wholeName } from "./parts.ts"
import type { KeywordQuery, QueryTerm, SymbolHit } from "./port.ts"
import type { Segment } from "./segment.ts"

/**
 * The definitions of the selected files (places in ascending order) that share a word with the query: for each
 * file the best by F1 between the query and the name, words weighted by rarity.
 */
export function symbolHits(
  segment: Segment,
  files: Uint32Array,
  terms: readonly QueryTerm[],
  idf: Float64Array,
  acceptChunk?: KeywordQuery["acceptChunk"],
): SymbolHit[][] {
  const marks = createMarks(segment, files)
  for (const [hash, mask] of masksByHash(terms)) {
    const hi = Number(hash >> 32n)
    const lo = Number(hash & 0xffffffffn)
    markSymbols(segment, files, findTerm(segment.names, hi, lo), mask, ONE_WORD, marks)
    markSymbols(segment, files, findTerm(segment.names, wholeName(hi), lo), mask, WHOLE, marks)
  }
  return Array.from(files, (file, i) => bestOfFile(segment, file, marks, i, idf, acceptChunk))
}

const MOST_SYMBOLS = 8

/** How many words of a name were found; from WHOLE on its compound was, which is all of it. */
const ONE_WORD = 1
const WHOLE = 1 << 16

/** By symbol of the selected files, one file after the other: its terms, and the words these took. */
type Marks = { readonly starts: Uint32Array; readonly terms: Uint32Array; readonly words: Uint32Array }

type Found = { readonly symbol: number; readonly terms: number; readonly extra: number; readonly f1: number }

function createMarks(segment: Segment, files: Uint32Array): Marks {
  const starts = new Uint32Array(files.length + 1)
  for (let i = 0; i < files.length; i++) {
    starts[i + 1] = starts[i]! + symbolsBefore(segment, files[i]! + 1) - symbolsBefore(segment, files[i]!)
  }
  const symbols = starts[files.length]!
  return { starts, terms: new Uint32Array(symbols), words: new Uint32Array(symbols) }
}

/** The first symbol of a file, or of what follows the last file. */
function symbolsBefore({ fileFirst, firstSymbol }: Segment, file: number): number {
  return firstSymbol[fileFirst[file]!]!
}

/** A compound stands for several terms at once. */
function masksByHash(terms: readonly QueryTerm[]): Map<bigint, number> {
  const masks = new Map<bigint, number>()
  terms.forEach((term, i) => {
    for (const { hash } of term.variants) masks.set(hash, (masks.get(hash) ?? 0) | (1 << i))
  })
  return masks
}

/** Walks one term's postings together with the symbols' ranges of the selected files. */
function markSymbols(
  segment: Segment,
  files: Uint32Array,
  term: number,
  mask: number,
  words: number,
  marks: Marks,
): void {
  if (term < 0) return
  const range = postingRange(segment.names, term)
  const bytes = segment.names.postings
  let symbol = -1
  let next = 0
  let from = 0
  let to = 0
  for (let at = range.start; at < range.end; ) {
    let byte = bytes[at++]!
    let gap = byte & 127
    for (let shift = 7; byte > 127 && shift < 28; shift += 7) {
      byte = bytes[at++]!
      gap |= (byte & 127) << shift
    }
    symbol += gap + 1
    while (symbol >= to) {
      if (next === files.length) return
      from = symbolsBefore(segment, files[next]!)
      to = symbolsBefore(segment, files[next]! + 1)
      next++
    }
    if (symbol < from) continue
    const place = marks.starts[next - 1]! + symbol - from
    marks.terms[place]! |= mask
    marks.words[place]! += words
  }
}

function bestOfFile(
  segment: Segment,
  file: number,
  marks: Marks,
  i: number,
  idf: Float64Array,
  accept: KeywordQuery["acceptChunk"],
): SymbolHit[] {
  const total = idf.reduce((sum, value) => sum + value, 0)
  const mean = total / Math.max(1, idf.length)
  const first = symbolsBefore(segment, file)
  const start = marks.starts[i]!
  const best: Found[] = []
  for (let place = start; place < marks.starts[i + 1]!; place++) {
    const terms = marks.terms[place]!
    if (terms === 0) continue
    const words = marks.words[place]!
    const symbol = first + place - start
    if (accept !== undefined && !accept(segment.fileId[file]!, placeOfSymbol(segment, file, symbol).ordinal))
      continue
    const extra = words >= WHOLE ? 0 : Math.max(0, segment.symbolWords[symbol]! - words)
    const shared = sharedIdf(terms, idf)
    insert(best, { symbol, terms, extra, f1: (2 * shared) / (shared + mean * extra + total) })
  }
  return best.map((found) => ({
    ...placeOfSymbol(segment, file, found.symbol),
    terms: found.terms,
    extra: found.extra,
  }))
}

function sharedIdf(terms: number, idf: Float64Array): number {
  let sum = 0
  for (let term = 0; term < idf.length; term++) if ((terms & (1 << term)) !== 0) sum += idf[term]!
  return sum
}

/** Keeps the list best first and short; among equals the first come stays before. */
function insert(best: Found[], found: Found): void {
  if (best.length === MOST_SYMBOLS) {
    if (found.f1 <= best[MOST_SYMBOLS - 1]!.f1) return
    best.pop()
  }
  let at = best.length
  while (at > 0 && best[at - 1]!.f1 < found.f1) at--
  best.splice(at, 0, found)
}

/** The chunk that defines a symbol is the last whose first symbol is not beyond it. */
function placeOfSymbol(segment: Segment, file: number, symbol: number): { ordinal: number; index: number } {
  const { firstSymbol, fileFirst } = segment
  const header = fileFirst[file]!
  let low = header
  let high = fileFirst[file + 1]! - 1
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (firstSymbol[middle]! <= symbol) low = middle
    else high = middle - 1
  }
  return { ordinal: low - header - 1, index: symbol - firstSymbol[low]! }
}
