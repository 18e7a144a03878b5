/**
 * A number for each slot, most of them 0. Those above are listed, so that nobody has to look at all; in an array of its
 * own, since one that is emptied and filled again for each word of a question is half a megabyte of garbage.
 */
export class Scores {
  readonly values: Float64Array
  /** The first `count`, each once, in the order in which they came. */
  readonly slots: Int32Array
  count = 0

  constructor(capacity: number) {
    this.values = new Float64Array(capacity)
    this.slots = new Int32Array(capacity)
  }

  of(slot: number): number {
    return this.values[slot]!
  }

  /** `value` is 0 or more. */
  add(slot: number, value: number): void {
    if (value === 0) return
    if (this.values[slot] === 0) this.slots[this.count++] = slot
    this.values[slot]! += value
  }

  /** Only the greatest of a slot counts. */
  raise(slot: number, value: number): void {
    const known = this.values[slot]!
    if (value <= known) return
    if (known === 0) this.slots[this.count++] = slot
    this.values[slot] = value
  }

  /** `value` is above 0. */
  set(slot: number, value: number): void {
    if (this.values[slot] === 0) this.slots[this.count++] = slot
    this.values[slot] = value
  }

  greatest(): number {
    let greatest = 0
    for (let i = 0; i < this.count; i++) greatest = Math.max(greatest, this.values[this.slots[i]!]!)
    return greatest
  }

  clear(): void {
    for (let i = 0; i < this.count; i++) this.values[this.slots[i]!] = 0
    this.count = 0
  }
}

/**
 * Scores to work with. Those of thousands of slots that every question made anew would be a megabyte of garbage, and a
 * server that is to stay small collects it every few questions, 30 ms each time.
 */
export class ScorePool {
  readonly #free: Scores[] = []
  readonly #taken: Scores[] = []

  take(capacity: number): Scores {
    const free = this.#free.pop()
    const isEnough = free !== undefined && free.values.length >= capacity
    const scores = isEnough ? free : new Scores(Math.ceil(capacity * ROOM))
    this.#taken.push(scores)
    return scores
  }

  /** Takes back all that were taken; nobody may look at them any more. */
  release(): void {
    for (const scores of this.#taken.toReversed()) {
      scores.clear()
      this.#free.push(scores)
    }
    this.#taken.length = 0
  }
}

/** So much larger than asked for, since slots come one by one. */
const ROOM = 1.25
