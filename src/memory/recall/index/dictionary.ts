/*
 * Terms and their numbers, and two ways to find similar terms: by shared four-letter pieces (`GramIndex`) and at an
 * edit distance of one (`respelled`). The terms of a stored image come first; new terms are added after them.
 */

import { termOfWord } from "../question.ts"
import { type FrozenStrings, freezeLists, invertedLists, listAt, type NumberLists } from "./frozen.ts"

/** Terms and their numbers, assigned in order of first use. */
export class Dictionary {
  /** The terms of an image have the first numbers. */
  readonly #frozen: FrozenStrings | null
  readonly #numbers = new Map<string, number>()
  /** Terms after those of the image. */
  readonly #terms: string[] = []
  readonly #grams: GramIndex

  constructor(frozen: FrozenTerms | null = null) {
    this.#frozen = frozen?.terms ?? null
    this.#grams = new GramIndex(this, frozen?.grams ?? null)
  }

  get size(): number {
    return this.frozenSize + this.#terms.length
  }

  /** Number of terms of the image; they have the numbers below it. */
  get frozenSize(): number {
    return this.#frozen?.size ?? 0
  }

  term(number: number): string {
    return number < this.frozenSize ? this.#frozen!.at(number) : this.#terms[number - this.frozenSize]!
  }

  lengthOf(number: number): number {
    const own = number - this.frozenSize
    return own < 0 ? this.#frozen!.lengthOf(number) : this.#terms[own]!.length
  }

  /** The term's number; a new term gets the next one. */
  add(term: string): number {
    const known = this.find(term)
    if (known >= 0) return known
    this.#numbers.set(term, this.size)
    return this.frozenSize + this.#terms.push(term) - 1
  }

  /** The term's number; -1 when no entry ever contained it. */
  find(term: string): number {
    return this.#numbers.get(term) ?? this.#frozen?.find(term) ?? -1
  }

  /** Numbers of the stored terms of words at an edit distance of one. `word`: letters a to z only. */
  respelled(word: string): number[] {
    const found = new Set<number>()
    for (const other of oneEditFrom(word)) found.add(this.find(termOfWord(other)))
    found.delete(-1)
    return [...found]
  }

  /** Terms that share four-letter pieces with this one, itself excluded, with their similarity (at least `min`). */
  alike(term: string, min: number): readonly SimilarTerm[] {
    return this.#grams.alike(term, min)
  }
}

/** The terms of an image, and by four-letter piece the terms that contain it. */
export type FrozenTerms = { readonly terms: FrozenStrings; readonly grams: NumberLists }

/** By four-letter piece the numbers of the terms that contain it, for an image. */
export function freezeGrams(terms: readonly string[]): NumberLists {
  const all = terms.map((term) => (term.length > LONGEST ? NO_GRAMS : gramsOf(term)))
  return invertedLists(
    freezeLists(all.length, (term) => all[term]!),
    GRAMS,
  )
}

/** A term and its similarity to another, 0 to 1. */
type SimilarTerm = { readonly number: number; readonly similarity: number }

/** Index from four-letter pieces to terms; new terms are added when the next question is asked. */
class GramIndex {
  readonly #dictionary: Dictionary
  readonly #frozen: NumberLists | null
  readonly #holders: (number[] | undefined)[] = []
  /** Number of shared pieces per term. 32 bits, because two words of one repeated letter share 64 × 62 pairs. */
  #shared = new Uint32Array(0)
  #taken: number

  constructor(dictionary: Dictionary, frozen: NumberLists | null) {
    this.#dictionary = dictionary
    this.#frozen = frozen
    this.#taken = dictionary.frozenSize
  }

  /** Terms whose similarity by shared pieces (Dice coefficient) is at least `min`, the term itself excluded. */
  alike(term: string, min: number): SimilarTerm[] {
    this.#addNewTerms()
    const touched: number[] = []
    const own = this.#dictionary.find(term)
    for (const gram of gramsOf(term)) {
      if (this.#frozen !== null) this.#countShared(listAt(this.#frozen, gram), touched)
      this.#countShared(this.#holders[gram] ?? NO_GRAMS, touched)
    }
    const found: SimilarTerm[] = []
    for (const number of touched) {
      const count = gramCount(term.length) + gramCount(this.#dictionary.lengthOf(number))
      // A piece that occurs twice in both words is counted four times.
      const similarity = Math.min(1, (2 * this.#shared[number]!) / count)
      this.#shared[number] = 0
      if (similarity >= min && number !== own) found.push({ number, similarity })
    }
    return found
  }

  #countShared(numbers: ArrayLike<number>, touched: number[]): void {
    for (let i = 0; i < numbers.length; i++) {
      const number = numbers[i]!
      if (this.#shared[number] === 0) touched.push(number)
      this.#shared[number]!++
    }
  }

  #addNewTerms(): void {
    const { size } = this.#dictionary
    for (; this.#taken < size; this.#taken++) {
      const term = this.#dictionary.term(this.#taken)
      if (term.length > LONGEST) continue
      for (const gram of gramsOf(term)) {
        this.#holders[gram] ??= []
        this.#holders[gram].push(this.#taken)
      }
    }
    if (this.#shared.length < size) this.#shared = new Uint32Array(Math.ceil(size * 1.25))
  }
}

const SIZE = 4
const EDGE = 95
/** Max length of a term in characters; longer terms are data and are not indexed. */
const LONGEST = 64
/** Number of possible hashes of a gram, which is a piece of a word with four letters: a hash has 16 bits. */
const GRAMS = 65_536

const NO_GRAMS = new Uint16Array(0)

/** Number of grams of a word of this many characters. */
function gramCount(length: number): number {
  return Math.max(1, length + 3 - SIZE)
}

/** The four-letter pieces of a word with its ends marked, each as a 16-bit hash. A shorter word is one piece. */
function gramsOf(term: string): Uint16Array {
  const grams = new Uint16Array(gramCount(term.length))
  const length = term.length + 2
  for (let start = 0; start < grams.length; start++) {
    let hash = 0
    for (let i = start; i < Math.min(start + SIZE, length); i++) {
      const code = i === 0 || i === length - 1 ? EDGE : term.charCodeAt(i - 1)
      hash = Math.imul(hash ^ code, 0x9e3779b1)
      hash ^= hash >>> 15
    }
    grams[start] = hash & 0xffff
  }
  return grams
}

/** The words at an edit distance of one: insertions, deletions, substitutions and swaps of neighbours. */
function* oneEditFrom(word: string): Iterable<string> {
  for (let at = 0; at <= word.length; at++) {
    const [before, here, after] = [word.slice(0, at), word.charAt(at), word.slice(at + 1)]
    if (here !== "") yield before + after
    for (const letter of LETTERS) if (here !== "" && letter !== here) yield before + letter + after
    if (after !== "") yield before + after.charAt(0) + here + after.slice(1)
    for (const letter of LETTERS) yield before + letter + here + after
  }
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz"
