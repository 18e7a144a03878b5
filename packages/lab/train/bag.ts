import { clearTerms, createTermBuffer, tokenize } from "../../../src/text/index.ts"
import type { Bag } from "./pair.ts"

/** A part of a text, end exclusive. */
export type Stretch = readonly [start: number, end: number]

/**
 * The first `max` words of texts with their counts, as in the table of word vectors: split, lower-cased,
 * stemmed. Compounds are left out.
 */
export function bagOf(texts: readonly string[], max: number): Bag {
  const bag = new Map<bigint, number>()
  let left = max
  for (const text of texts) left = addWords(bag, text, [0, text.length], left)
  return bag
}

/** Like `bagOf`, for parts of one text, after the words of `head`. */
export function bagOfStretches(text: string, stretches: readonly Stretch[], max: number, head = ""): Bag {
  const bag = new Map<bigint, number>()
  let left = addWords(bag, head, [0, head.length], max)
  for (const stretch of stretches) {
    if (left <= 0) break
    left = addWords(bag, text, stretch, left)
  }
  return bag
}

export function sizeOf(bag: Bag): number {
  let size = 0
  for (const count of bag.values()) size += count
  return size
}

const terms = createTermBuffer()

function addWords(bag: Map<bigint, number>, text: string, [start, end]: Stretch, max: number): number {
  clearTerms(terms)
  // Reads at most 40 characters for each wanted word. Words with their separators are shorter on average, so
  // that the rest would not be used.
  tokenize(text, start, Math.min(end, start + max * 40), terms)
  let left = max
  for (let i = 0; i < terms.count && left > 0; i++) {
    if (terms.parts[i] !== 1) continue
    const hash = (BigInt(terms.hi[i]!) << 32n) | BigInt(terms.lo[i]!)
    bag.set(hash, (bag.get(hash) ?? 0) + 1)
    left--
  }
  return left
}
