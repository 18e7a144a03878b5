/** Which slots have a term in their topic, or in their tags. */
export class Labels {
  readonly #slots = new Map<number, Set<number>>()

  add(terms: Iterable<number>, slot: number): void {
    for (const term of terms) {
      const slots = this.#slots.get(term)
      if (slots === undefined) this.#slots.set(term, new Set([slot]))
      else slots.add(slot)
    }
  }

  remove(terms: Iterable<number>, slot: number): void {
    for (const term of terms) {
      const slots = this.#slots.get(term)
      slots?.delete(slot)
      if (slots?.size === 0) this.#slots.delete(term)
    }
  }

  of(term: number): ReadonlySet<number> {
    return this.#slots.get(term) ?? NONE
  }
}

const NONE: ReadonlySet<number> = new Set()
