import { GramIndex } from "./gram-index.ts"
import { Respellings } from "./respelled.ts"

/** Terms by number, in order of first use. */
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

  /** The term's number; a new one where it is new. */
  add(term: string): number {
    let number = this.#numbers.get(term)
    if (number === undefined) {
      number = this.#terms.length
      this.#numbers.set(term, number)
      this.#terms.push(term)
    }
    return number
  }

  /** -1 where no entry ever held it. */
  find(term: string): number {
    return this.#numbers.get(term) ?? -1
  }

  /** Numbers of the terms of words that one slip of the pen makes of this one, of letters a to z. */
  respelled(word: string): number[] {
    return [...this.#respellings.of(word)].map((term) => this.find(term)).filter((number) => number >= 0)
  }

  /** Terms that share four-letter pieces with this one, itself left out, and how alike they are. */
  alike(term: string, least: number): readonly Alike[] {
    return this.#grams.alike(term, least)
  }
}

/** A term and its likeness to another, 0 to 1. */
export type Alike = { readonly number: number; readonly likeness: number }
