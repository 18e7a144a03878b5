import { lastAtMost } from "../../base/sorted.ts"
import { type NameMarks, WHOLE } from "../format/name-marks.ts"
import type { Segment } from "../format/segment.ts"
import type { KeywordQuery, SymbolHit } from "../port.ts"

/**
 * The definitions of a file whose names share a word with the query, best first, at most MAX_SYMBOLS. They are ordered
 * by F1: how many words query and name have in common, relative to the number of words in both, where each word counts
 * with its IDF. `i` is the index of the file among those whose chunks were scored.
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
  const header = segment.fileFirst[file]!
  const first = segment.firstSymbol[header]! - start
  let count = 0
  for (let place = start; place < end; place++) {
    const mask = terms[place]!
    if (mask === 0) continue
    const symbol = first + place
    const matched = words[place]!
    const extra = matched >= WHOLE ? 0 : Math.max(0, symbolWords[symbol]! - matched)
    const shared = shares.of(mask)
    const f1 = (2 * shared) / (shared + mean * extra + total)
    if (count === MAX_SYMBOLS && f1 <= best.f1[MAX_SYMBOLS - 1]!) continue
    if (accept?.(segment.fileId[file]!, chunkOf(segment, file, symbol) - header - 1) === false) continue
    insertSymbol(count, symbol, mask, extra, f1)
    if (count < MAX_SYMBOLS) count++
  }
  const hits: SymbolHit[] = []
  for (let i = 0; i < count; i++) {
    const symbol = best.symbol[i]!
    const chunk = chunkOf(segment, file, symbol)
    const index = symbol - segment.firstSymbol[chunk]!
    hits.push({ ordinal: chunk - header - 1, index, terms: best.terms[i]!, extra: best.extra[i]! })
  }
  return hits
}

const MAX_SYMBOLS = 8

/**
 * The best definitions of the running call of `symbolHits`, best first. All calls use these arrays, and objects are
 * created only for the result, because most entries are soon replaced by better ones.
 */
const best = {
  symbol: new Uint32Array(MAX_SYMBOLS),
  terms: new Int32Array(MAX_SYMBOLS),
  extra: new Uint32Array(MAX_SYMBOLS),
  f1: new Float64Array(MAX_SYMBOLS),
} as const

/**
 * Sums up the IDF of the query's terms in a mask (bit t is set for term t). The sums are cached, because few different
 * masks occur.
 */
export class Shares {
  readonly total: number
  readonly mean: number
  private readonly idf: Float64Array
  private readonly shareCache = new Map<number, number>()
  private last = 0
  private lastShare = 0

  constructor(idf: Float64Array) {
    this.idf = idf
    this.total = idf.reduce((sum, value) => sum + value, 0)
    this.mean = this.total / Math.max(1, idf.length)
  }

  of(terms: number): number {
    if (terms === this.last) return this.lastShare
    const share = this.shareCache.get(terms) ?? sharedIdf(terms, this.idf)
    this.shareCache.set(terms, share)
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

/**
 * Inserts a definition into the `count` best. If there are MAX_SYMBOLS already, the worst is dropped. Definitions with
 * equal scores stay in the order in which they were added.
 */
function insertSymbol(count: number, symbol: number, terms: number, extra: number, f1: number): void {
  let at = Math.min(count, MAX_SYMBOLS - 1)
  for (; at > 0 && best.f1[at - 1]! < f1; at--) {
    best.symbol[at] = best.symbol[at - 1]!
    best.terms[at] = best.terms[at - 1]!
    best.extra[at] = best.extra[at - 1]!
    best.f1[at] = best.f1[at - 1]!
  }
  best.symbol[at] = symbol
  best.terms[at] = terms
  best.extra[at] = extra
  best.f1[at] = f1
}

/** The document (chunk) that defines a symbol: the last one whose first symbol is not after the symbol. */
function chunkOf({ firstSymbol, fileFirst }: Segment, file: number, symbol: number): number {
  const first = fileFirst[file]!
  return Math.max(first, lastAtMost(firstSymbol, symbol, first, fileFirst[file + 1]!))
}
