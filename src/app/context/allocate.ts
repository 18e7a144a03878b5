/** A piece that may be bought: a place of a file in some length, or what hangs together with it. */
export type Offer<T> = {
  /** Of offers of one slot the dearer replaces the cheaper. */
  readonly slot: string
  /** A slot that has to be filled before; absent: none. */
  readonly after?: string
  readonly value: number
  /** About what it costs; it is made when it is bought. */
  readonly estimate: number
  readonly make: () => T | null
}

export type Bought<T> = { readonly item: T; readonly tokens: number; readonly value: number }

/** What was bought, by slot, in the order of the first offer that filled it. */
export class Basket<T> {
  readonly bought = new Map<string, Bought<T>>()
  readonly #tokensOf: (item: T, slot: string) => number
  #left: number

  constructor(budget: number, tokensOf: (item: T, slot: string) => number) {
    this.#left = budget
    this.#tokensOf = tokensOf
  }

  get left(): number {
    return this.#left
  }

  /** Counts what was estimated; false where it is too dear, or nothing came of it. */
  buy({ slot, value, make }: Offer<T>): boolean {
    const item = make()
    if (item === null) return false
    const tokens = this.#tokensOf(item, slot)
    const more = tokens - (this.bought.get(slot)?.tokens ?? 0)
    if (more > this.#left) return false
    this.#left -= more
    this.bought.set(slot, { item, tokens, value })
    return true
  }

  /** Buys by value per token until nothing more fits; a better offer for a slot is paid by the difference. */
  fill(offers: Iterable<Offer<T>>): void {
    const open = new Set(offers)
    for (let best = this.#best(open); best !== null; best = this.#best(open)) {
      open.delete(best)
      this.buy(best)
    }
  }

  #best(open: ReadonlySet<Offer<T>>): Offer<T> | null {
    let best: Offer<T> | null = null
    let most = 0
    for (const offer of open) {
      if (offer.after !== undefined && !this.bought.has(offer.after)) continue
      const known = this.bought.get(offer.slot)
      const gain = offer.value - (known?.value ?? 0)
      const cost = Math.max(1, offer.estimate - (known?.tokens ?? 0))
      if (gain <= 0 || cost > this.#left) continue
      if (gain / cost > most) [best, most] = [offer, gain / cost]
    }
    return best
  }
}
