import { shortened } from "../../../text/terms/abbreviations.ts"
import { stemCodes } from "../../../text/terms/stem.ts"
import { irregularForms } from "../irregular.ts"
import { termOfWord } from "../terms.ts"

/** Terms and their numbers, assigned in order of first use. */
export class Dictionary {
  readonly #numbers = new Map<string, number>()
  readonly #terms: string[] = []
  readonly #grams = new GramIndex(this.#terms)
  readonly #respellings = new Respellings(this.#terms)

  get size(): number {
    return this.#terms.length
  }

  get terms(): readonly string[] {
    return this.#terms
  }

  /** The term's number; a new term gets the next one. */
  add(term: string): number {
    let number = this.#numbers.get(term)
    if (number === undefined) {
      number = this.#terms.length
      this.#numbers.set(term, number)
      this.#terms.push(term)
    }
    return number
  }

  /** The term's number; -1 when no entry ever contained it. */
  find(term: string): number {
    return this.#numbers.get(term) ?? -1
  }

  /** Numbers of the stored terms of words at an edit distance of one. `word`: letters a to z only. */
  respelled(word: string): number[] {
    return [...this.#respellings.of(word)].map((term) => this.find(term)).filter((number) => number >= 0)
  }

  /**
   * Terms that share four-letter pieces with this one, itself excluded, with their similarity (at least
   * `min`).
   */
  alike(term: string, min: number): readonly SimilarTerm[] {
    return this.#grams.alike(term, min)
  }
}

/** A term and its similarity to another, 0 to 1. */
export type SimilarTerm = { readonly number: number; readonly similarity: number }

/** Index from four-letter pieces to terms; new terms are added when the next question is asked. */
export class GramIndex {
  readonly #terms: readonly string[]
  readonly #holders: (number[] | undefined)[] = []
  /**
   * Number of shared pieces per term. 32 bits, because two words of one repeated letter share 64 × 62 pairs.
   */
  #shared = new Uint32Array(0)
  #taken = 0

  constructor(terms: readonly string[]) {
    this.#terms = terms
  }

  /**
   * Terms whose similarity by shared pieces (Dice coefficient) is at least `min`, the term itself excluded.
   */
  alike(term: string, min: number): SimilarTerm[] {
    this.#takeIn()
    const touched: number[] = []
    for (const gram of gramsOf(term)) {
      for (const number of this.#holders[gram] ?? []) {
        if (this.#shared[number] === 0) touched.push(number)
        this.#shared[number]!++
      }
    }
    const found: SimilarTerm[] = []
    for (const number of touched) {
      const other = this.#terms[number]!
      // A piece that occurs twice in both words is counted four times.
      const similarity = Math.min(1, (2 * this.#shared[number]!) / (gramCount(term) + gramCount(other)))
      this.#shared[number] = 0
      if (similarity >= min && other !== term) found.push({ number, similarity })
    }
    return found
  }

  #takeIn(): void {
    for (; this.#taken < this.#terms.length; this.#taken++) {
      const term = this.#terms[this.#taken]!
      if (term.length > LONGEST) continue
      for (const gram of gramsOf(term)) {
        const holders = this.#holders[gram]
        if (holders === undefined) this.#holders[gram] = [this.#taken]
        else holders.push(this.#taken)
      }
    }
    if (this.#shared.length < this.#terms.length) this.#shared = new Uint32Array(this.#terms.length * 2)
  }
}

const SIZE = 4
const EDGE = 95
/** In characters; longer terms are data and are not indexed. */
const LONGEST = 64

function gramCount(term: string): number {
  return Math.max(1, term.length + 3 - SIZE)
}

/**
 * The four-letter pieces of a word with its ends marked, each as a 16-bit hash. A shorter word is one piece.
 */
function gramsOf(term: string): Uint16Array {
  const grams = new Uint16Array(gramCount(term))
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

/**
 * Finds stored terms of words at an edit distance of one. About five hundred variants of a word are tried; a
 * bit set of hashes rejects most of them before a string is created.
 */
class Respellings {
  readonly #terms: readonly string[]
  #bits = new Int32Array(0)
  #taken = 0

  /** `terms` is kept by reference; new terms are appended to it. */
  constructor(terms: readonly string[]) {
    this.#terms = terms
  }

  /**
   * Terms of variants of `word` (letters a to z only). Contains every stored one and, rarely, others (hash
   * collisions).
   */
  of(word: string): Set<string> {
    this.#takeIn()
    const found = new Set<string>()
    const stemmed = new Uint16Array(word.length + 1)
    oneEditFrom(word, (codes, length) => {
      stemmed.set(codes)
      const left = stemCodes(stemmed, length)
      if (!this.#may(hashOf(stemmed, left)) && !this.#may(hashOf(codes, length))) return
      found.add(termOfWord(String.fromCharCode(...codes.subarray(0, length))))
    })
    return found
  }

  #may(hash: number): boolean {
    return (this.#bits[(hash >>> 5) & (this.#bits.length - 1)]! & (1 << (hash & 31))) !== 0
  }

  #takeIn(): void {
    if (this.#taken === this.#terms.length && this.#taken > 0) return
    const needed = this.#terms.length * BITS
    if (this.#bits.length * 32 < needed) {
      this.#bits = new Int32Array(2 ** Math.ceil(Math.log2((needed * 2) / 32)))
      this.#taken = 0
      // Also add the words that are mapped to another term: abbreviations and irregular forms, as they are
      // written.
      for (const word of [...shortened(), ...irregularForms()]) this.#add(word)
    }
    for (; this.#taken < this.#terms.length; this.#taken++) this.#add(this.#terms[this.#taken]!)
  }

  #add(term: string): void {
    const hash = hashOf(codesOf(term), term.length)
    this.#bits[(hash >>> 5) & (this.#bits.length - 1)]! |= 1 << (hash & 31)
  }
}

/** Bits per term: about one in this many variants that are not terms passes the filter. */
const BITS = 32

function codesOf(text: string): Uint16Array {
  const codes = new Uint16Array(text.length)
  for (let i = 0; i < codes.length; i++) codes[i] = text.charCodeAt(i)
  return codes
}

function hashOf(codes: Uint16Array, length: number): number {
  let hash = length
  for (let i = 0; i < length; i++) {
    hash = Math.imul(hash ^ codes[i]!, 0x9e3779b1)
    hash ^= hash >>> 15
  }
  return hash
}

/**
 * Calls `see` for every word at an edit distance of one (insertion, deletion, substitution, swap of
 * neighbours): the first `length` codes of an array that is reused for the next word.
 */
function oneEditFrom(word: string, see: (codes: Uint16Array, length: number) => void): void {
  const codes = new Uint16Array(word.length + 1)
  for (let at = 0; at <= word.length; at++) {
    const here = word.charCodeAt(at)
    if (at < word.length) {
      write(codes, word, at, at + 1, 0)
      see(codes, word.length - 1)
      write(codes, word, at, at + 1, 1)
      for (const letter of LETTERS) {
        codes[at] = letter
        if (letter !== here) see(codes, word.length)
      }
    }
    if (at + 1 < word.length) {
      write(codes, word, at, at + 2, 2)
      codes[at] = word.charCodeAt(at + 1)
      codes[at + 1] = here
      see(codes, word.length)
    }
    write(codes, word, at, at, 1)
    for (const letter of LETTERS) {
      codes[at] = letter
      see(codes, word.length + 1)
    }
  }
}

const LETTERS = Uint16Array.from("abcdefghijklmnopqrstuvwxyz", (letter) => letter.charCodeAt(0))

/** Writes the word's codes before `to`, and those from `from` on, with `gap` free places between. */
function write(codes: Uint16Array, word: string, to: number, from: number, gap: number): void {
  for (let i = 0; i < to; i++) codes[i] = word.charCodeAt(i)
  for (let i = from; i < word.length; i++) codes[to + gap + i - from] = word.charCodeAt(i)
}
