import { shortened } from "../../text/abbreviations.ts"
import { stemCodes } from "../../text/stem.ts"
import { irregularForms } from "./irregular.ts"
import { oneEditFrom } from "./one-edit.ts"
import { termOfWord } from "./terms.ts"

/**
 * Finds the words one slip of the pen away from another whose terms are held. Some five hundred have to be tried for a
 * word, so that most are told by their letters' hashes to be no term, before a string is made of them.
 */
export class Respellings {
  readonly #terms: readonly string[]
  #bits = new Int32Array(0)
  #taken = 0

  /** `terms` grows at its end. */
  constructor(terms: readonly string[]) {
    this.#terms = terms
  }

  /** Terms, held or not; none that is held is missing. Of letters a to z only. */
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
      // What stands for another term is found by itself; irregular forms as they are written.
      for (const word of [...shortened(), ...irregularForms()]) this.#add(word)
    }
    for (; this.#taken < this.#terms.length; this.#taken++) this.#add(this.#terms[this.#taken]!)
  }

  #add(term: string): void {
    const hash = hashOf(codesOf(term), term.length)
    this.#bits[(hash >>> 5) & (this.#bits.length - 1)]! |= 1 << (hash & 31)
  }
}

/** Bits a term: one in so many words that are no terms is tried in vain. */
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
