import { findTerm, postingRange } from "./find-term.ts"
import { wholeName } from "./parts.ts"
import type { QueryTerm, SymbolHit } from "./port.ts"
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
): Map<number, SymbolHit[]> {
  const found = new Map<number, Found>()
  for (const [hash, mask] of masksByHash(terms)) {
    const hi = Number(hash >> 32n)
    const lo = Number(hash & 0xffffffffn)
    markSymbols(segment, files, findTerm(segment.names, hi, lo), mask, false, found)
    markSymbols(segment, files, findTerm(segment.names, wholeName(hi), lo), mask, true, found)
  }
  return bestByFile(segment, found, idf)
}

const MOST_SYMBOLS = 8

/** Terms that a name holds, how many of its words those took, and whether a term is the whole name glued. */
type Found = { readonly file: number; terms: number; words: number; isWhole: boolean }

type Ranked = { readonly hit: SymbolHit; readonly symbol: number; readonly f1: number }

/** A compound stands for several terms at once. */
function masksByHash(terms: readonly QueryTerm[]): Map<bigint, number> {
  const masks = new Map<bigint, number>()
  terms.forEach((term, i) => {
    for (const { hash } of term.variants) masks.set(hash, (masks.get(hash) ?? 0) | (1 << i))
  })
  return masks
}

function markSymbols(
  segment: Segment,
  files: Uint32Array,
  term: number,
  mask: number,
  isWhole: boolean,
  found: Map<number, Found>,
): void {
  if (term < 0) return
  const range = postingRange(segment.names, term)
  const bytes = segment.names.postings
  let symbol = -1
  let next = 0
  let file = -1
  let from = 0
  let to = 0
  for (let at = range.start; at < range.end; ) {
    let byte = bytes[at++]!
    let gap = byte & 127
    for (let shift = 7; byte > 127 && shift < 35; shift += 7) {
      byte = bytes[at++]!
      gap |= (byte & 127) << shift
    }
    symbol += (gap >>> 0) + 1
    while (symbol >= to) {
      if (next === files.length) return
      file = files[next++]!
      from = segment.firstSymbol[segment.fileFirst[file]!]!
      to = segment.firstSymbol[segment.fileFirst[file + 1]!]!
    }
    if (symbol >= from) mark(found, symbol, file, mask, isWhole)
  }
}

function mark(found: Map<number, Found>, symbol: number, file: number, mask: number, isWhole: boolean): void {
  let entry = found.get(symbol)
  if (entry === undefined) {
    entry = { file, terms: 0, words: 0, isWhole: false }
    found.set(symbol, entry)
  }
  entry.terms |= mask
  if (isWhole) entry.isWhole = true
  else entry.words++
}

function bestByFile(
  segment: Segment,
  found: ReadonlyMap<number, Found>,
  idf: Float64Array,
): Map<number, SymbolHit[]> {
  const total = idf.reduce((sum, value) => sum + value, 0)
  const mean = total / Math.max(1, idf.length)
  const ranked = new Map<number, Ranked[]>()
  for (const [symbol, { file, terms, words, isWhole }] of found) {
    const extra = isWhole ? 0 : Math.max(0, segment.symbolWords[symbol]! - words)
    const shared = sharedIdf(terms, idf)
    const f1 = (2 * shared) / (shared + mean * extra + total)
    const { ordinal, index } = placeOfSymbol(segment, file, symbol)
    const list = ranked.get(file) ?? []
    list.push({ hit: { ordinal, index, terms, extra }, symbol, f1 })
    ranked.set(file, list)
  }
  const best = new Map<number, SymbolHit[]>()
  for (const [file, list] of ranked) {
    list.sort((a, b) => b.f1 - a.f1 || a.symbol - b.symbol)
    best.set(
      file,
      list.slice(0, MOST_SYMBOLS).map(({ hit }) => hit),
    )
  }
  return best
}

function sharedIdf(terms: number, idf: Float64Array): number {
  let sum = 0
  for (let term = 0; term < idf.length; term++) if ((terms & (1 << term)) !== 0) sum += idf[term]!
  return sum
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
