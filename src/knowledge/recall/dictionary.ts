import { GramIndex } from "./gram-index.ts"
import { isOneEditApart } from "./one-edit.ts"

/** Terms by number, in order of first use. */
export class Dictionary {
  readonly #numbers = new Map<string, number>()
  readonly #terms: string[] = []
  readonly #grams = new GramIndex(this.#terms)

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

  /** Terms that share four-letter pieces with this one, itself left out, and how alike they are. */
  alike(term: string, least: number): readonly Alike[] {
    return this.#grams.alike(term, least)
  }

  /** Terms one letter more, less or other from this one, or with two neighbours swapped. */
  oneEditFrom(term: string): number[] {
    const found: number[] = []
    for (let number = 0; number < this.#terms.length; number++) {
      const other = this.#terms[number]!
      if (Math.abs(other.length - term.length) <= 1 && isOneEditApart(term, other)) found.push(number)
    }
    return found
  }
}

/** A term and its likeness to another, 0 to 1. */
export type Alike = { readonly number: number; readonly likeness: number }
