/** Which slots have a term in their topic, or in their tags. */
export class Labels {
  readonly #slots = new Map<number, number[]>()

  /** Each term once. */
  add(terms: Iterable<number>, slot: number): void {
    for (const term of terms) {
      const slots = this.#slots.get(term)
      if (slots === undefined) this.#slots.set(term, [slot])
      else slots.push(slot)
    }
  }

  remove(terms: Iterable<number>, slot: number): void {
    for (const term of terms) {
      const slots = this.#slots.get(term)
      const place = slots?.indexOf(slot) ?? -1
      if (slots === undefined || place < 0) continue
      slots[place] = slots[slots.length - 1]!
      slots.pop()
      if (slots.length === 0) this.#slots.delete(term)
    }
  }

  /** In no order. */
  of(term: number): readonly number[] {
    return this.#slots.get(term) ?? NONE
  }
}

const NONE: readonly number[] = []
