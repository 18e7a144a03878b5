import { embedStatic768, STATIC768_DIMENSIONS } from "../embed/static768.ts"
import { hashTerm } from "../text/hash.ts"
import { isUnspaced, unicodeWords } from "../text/unicode.ts"
import { comparable } from "./labels.ts"
import type { Similar } from "./new-entry.ts"

/** Of Jaccard over words: seed 002's, who warned above it. */
const WORDS_ALIKE = 0.7
/** With fewer words one that differs says too much. */
const FEWEST_WORDS = 6
/**
 * Of the built-in embedder. In 6,400 lines of five change logs 0.02 % of all pairs lie above it that do not by words,
 * nearly all of one frame with another number or name; typos, another order and other spellings of an identifier lie
 * between .87 and 1. Of one frame with another value is most below (.64 to .73): a fact and the one that
 * replaced it are no near-duplicates.
 */
const VECTORS_ALIKE = 0.85
/** Below this many words in common no vector comes so near. */
const WORTH_EMBEDDING = 0.25
/** Longer texts are judged by their beginning. */
const MOST_CHARACTERS = 20_000
const SHORTEST_WORD = 3

/** What two texts are compared by. */
export type Likeness = { readonly text: string; readonly words: ReadonlySet<string> }

export function likenessOf(text: string): Likeness {
  const head = text.slice(0, MOST_CHARACTERS)
  return { text: head, words: wordsOf(head) }
}

/** How far they say the same, and by what that shows; null where they do not. */
export function compare(a: Likeness, b: Likeness): Pick<Similar, "score" | "reason"> | null {
  const score = jaccard(a.words, b.words)
  const isByWords = Math.min(a.words.size, b.words.size) >= FEWEST_WORDS && score > WORDS_ALIKE
  if (isByWords) return { score, reason: "words" }
  if (score < WORTH_EMBEDDING) return null
  const cosine = similarity(a.text, b.text)
  return cosine >= VECTORS_ALIKE ? { score: Math.min(1, cosine), reason: "vector" } : null
}

/**
 * The words of a text of which those nearly like it have at least one: sorted alike everywhere, here the longest first
 * because these are rarest, two sets with a Jaccard index above t share one of the first n − ⌈t·n⌉ + 1 (Chaudhuri et
 * al. 2006, prefix filter). As hashes with their project and topic.
 */
export function likenessKeys(project: string | null, topic: string, { words }: Likeness): number[] {
  const sorted = [...words].sort((a, b) => b.length - a.length || (a < b ? -1 : 1))
  const prefix = sorted.slice(0, sorted.length - Math.ceil(WORDS_ALIKE * sorted.length) + 1)
  const place = JSON.stringify([project, comparable(topic)])
  return prefix.map((word) => Number(hashTerm(place + word) & 0xffff_ffffn))
}

function wordsOf(text: string): Set<string> {
  const words = PLAIN.test(text) ? (text.toLowerCase().match(PLAIN_WORDS) ?? []) : unicodeWords(text)
  return new Set(words.filter((word) => word.length >= SHORTEST_WORD || isUnspaced(word)))
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
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
