/** Terms by number, in order of first use, and how many entries hold each. */
export class Dictionary {
  readonly #numbers = new Map<string, number>()
  readonly #terms: string[] = []

  get size(): number {
    return this.#terms.length
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

  term(number: number): string {
    return this.#terms[number]!
  }
}
