import { type NameMarks, WHOLE } from "./name-marks.ts"
import type { KeywordQuery, SymbolHit } from "./port.ts"
import type { Segment } from "./segment.ts"

/**
 * The definitions of a file, at place `i` of those that were looked at, that share a word with the query: the best by
 * F1 between the query and the name, words weighted by rarity.
 */
export function symbolHits(
  segment: Segment,
  file: number,
  { starts, terms, words }: NameMarks,
  i: number,
  shares: Shares,
  accept?: KeywordQuery["acceptChunk"],
): SymbolHit[] {
  const { symbolWords } = segment
  const { mean, total } = shares
  const start = starts[i]!
  const end = starts[i + 1]!
  const first = segment.firstSymbol[segment.fileFirst[file]!]! - start
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

const MOST_SYMBOLS = 8

type Found = { readonly symbol: number; readonly terms: number; readonly extra: number; readonly f1: number }

/** How much of the query's rarity some of its terms have; most symbols share one and the same with it. */
export class Shares {
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
