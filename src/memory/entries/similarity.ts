import { compareTexts } from "../../base/compare-texts.ts"
import { embedStatic768, STATIC768_DIMENSIONS } from "../../embed/static768.ts"
import { hashTerm } from "../../text/terms/hash.ts"
import { isUnspaced, unicodeWords } from "../../text/terms/unicode.ts"
import { comparable } from "./labels.ts"
import type { SimilarEntry } from "./new-entry.ts"

/** Min Jaccard index of the words of two texts that count as nearly the same. */
const WORDS_ALIKE = 0.7
/**
 * Min number of words for the comparison by words. With fewer, a single different word weighs too much, so only the
 * vectors decide.
 */
const MIN_WORDS = 6
/**
 * Min cosine of the built-in static768 vectors for near-duplicates. In 6,400 lines of five change logs, 0.02
 * % of all pairs reach it without reaching WORDS_ALIKE, nearly all of them the same sentence with another
 * number or name. Typos, another word order and other spellings of an identifier score .87 to 1. Most pairs
 * that differ only in a value score lower (.64 to .73), so a fact and its replacement are not
 * near-duplicates.
 */
const VECTORS_ALIKE = 0.85
/** With a lower Jaccard index, no pair of vectors comes near VECTORS_ALIKE, so the vectors are not computed. */
const MIN_JACCARD_TO_EMBED = 0.25
/** Max characters that are compared of a text; the rest of a longer text is ignored. */
const MAX_CHARACTERS = 20_000

const MIN_WORD_LENGTH = 3

/** The data of a text that comparisons use. */
export type ComparableText = { readonly text: string; readonly words: ReadonlySet<string> }

export function comparableText(text: string): ComparableText {
  const head = text.slice(0, MAX_CHARACTERS)
  return { text: head, words: distinctWords(head) }
}

/** Similarity of two texts and how it was found; null when they are not nearly the same. */
export function nearDuplicate(
  a: ComparableText,
  b: ComparableText,
): Pick<SimilarEntry, "score" | "reason"> | null {
  const score = jaccard(a.words, b.words)
  const isByWords = Math.min(a.words.size, b.words.size) >= MIN_WORDS && score > WORDS_ALIKE
  if (isByWords) return { score, reason: "words" }
  if (score < MIN_JACCARD_TO_EMBED) return null
  const cosine = similarity(a.text, b.text)
  return cosine >= VECTORS_ALIKE ? { score: Math.min(1, cosine), reason: "vector" } : null
}

/**
 * Hashes of words, with project and topic, of which every near-duplicate of the text contains at least one.
 * Prefix filter (Chaudhuri et al. 2006): when all sets are sorted the same way, two sets with a Jaccard index
 * above t share one of the first n − ⌈t·n⌉ + 1 words. The longest words come first because they are the
 * rarest.
 */
export function similarityKeys(project: string | null, topic: string, { words }: ComparableText): number[] {
  const sorted = [...words].sort((a, b) => b.length - a.length || compareTexts(a, b))
  const prefix = sorted.slice(0, sorted.length - Math.ceil(WORDS_ALIKE * sorted.length) + 1)
  const place = JSON.stringify([project, comparable(topic)])
  return prefix.map((word) => Number(hashTerm(place + word) & 0xffff_ffffn))
}

function distinctWords(text: string): Set<string> {
  const words = PLAIN.test(text) ? (text.toLowerCase().match(PLAIN_WORDS) ?? []) : unicodeWords(text)
  return new Set(words.filter((word) => word.length >= MIN_WORD_LENGTH || isUnspaced(word)))
}

const PLAIN = /^[\x00-\x7f]*$/
const PLAIN_WORDS = /[a-z0-9_]{3,}/g

function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0
  for (const word of a) if (b.has(word)) shared++
  const all = a.size + b.size - shared
  return all === 0 ? 0 : shared / all
}

function similarity(a: string, b: string): number {
  embedStatic768(a, left)
  embedStatic768(b, right)
  let sum = 0
  for (let i = 0; i < STATIC768_DIMENSIONS; i++) sum += left[i]! * right[i]!
  return sum
}

const left = new Float32Array(STATIC768_DIMENSIONS)
const right = new Float32Array(STATIC768_DIMENSIONS)
