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
  const shares = new Shares(idf)
  return Array.from(files, (file, i) => bestOfFile(segment, file, marks, i, shares, acceptChunk))
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
  { starts, terms, words }: Marks,
  i: number,
  shares: Shares,
  accept: KeywordQuery["acceptChunk"],
): SymbolHit[] {
  const { symbolWords } = segment
  const { mean, total } = shares
  const start = starts[i]!
  const end = starts[i + 1]!
  const first = symbolsBefore(segment, file) - start
  const best: Found[] = []
  let least = -1
  for (let place = start; place < end; place++) {
    const mask = terms[place]!
    if (mask === 0) continue
    const symbol = first + place
    const held = words[place]!
    const extra = held >= WHOLE ? 0 : Math.max(0, symbolWords[symbol]! - held)
    const shared = shares.of(mask)
    const f1 = (2 * shared) / (shared + mean * extra + total)
    if (f1 <= least) continue
    if (accept !== undefined && !accept(segment.fileId[file]!, placeOfSymbol(segment, file, symbol).ordinal))
      continue
    insert(best, { symbol, terms: mask, extra, f1 })
    if (best.length === MOST_SYMBOLS) least = best[MOST_SYMBOLS - 1]!.f1
  }
  return best.map(({ symbol, terms, extra }) => {
    const { ordinal, index } = placeOfSymbol(segment, file, symbol)
    return { ordinal, index, terms, extra }
  })
}

/** How much of the query's rarity some of its terms have; most symbols share one and the same with it. */
class Shares {
  readonly total: number
  readonly mean: number
  private readonly idf: Float64Array
  private readonly known = new Map<number, number>()
  private last = 0
  private lastShare = 0

  constructor(idf: Float64Array) {
    this.idf = idf
    this.total = idf.reduce((sum, value) => sum + value, 0)
    this.mean = this.total / Math.max(1, idf.length)
  }

  of(terms: number): number {
    if (terms === this.last) return this.lastShare
    const share = this.known.get(terms) ?? sharedIdf(terms, this.idf)
    this.known.set(terms, share)
    this.last = terms
    this.lastShare = share
    return share
  }
}

function sharedIdf(terms: number, idf: Float64Array): number {
  let sum = 0
  for (let term = 0; term < idf.length; term++) if ((terms & (1 << term)) !== 0) sum += idf[term]!
  return sum
}

/** Keeps the list best first and short; among equals the first come stays before. */
function insert(best: Found[], found: Found): void {
  if (best.length === MOST_SYMBOLS) best.pop()
  let at = best.push(found) - 1
  for (; at > 0 && best[at - 1]!.f1 < found.f1; at--) best[at] = best[at - 1]!
  best[at] = found
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
