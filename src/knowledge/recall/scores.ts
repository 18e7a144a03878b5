/** A number for each slot, most of them 0. Those above are listed, so that nobody has to look at all. */
export class Scores {
  readonly values: Float64Array
  /** Each once, in the order in which they came. */
  readonly slots: number[] = []

  constructor(capacity: number) {
    this.values = new Float64Array(capacity)
  }

  of(slot: number): number {
    return this.values[slot]!
  }

  /** `value` is 0 or more. */
  add(slot: number, value: number): void {
    if (value === 0) return
    if (this.values[slot] === 0) this.slots.push(slot)
    this.values[slot]! += value
  }

  /** Only the greatest of a slot counts. */
  raise(slot: number, value: number): void {
    const known = this.values[slot]!
    if (value <= known) return
    if (known === 0) this.slots.push(slot)
    this.values[slot] = value
  }

  greatest(): number {
    let greatest = 0
    for (const slot of this.slots) if (this.values[slot]! > greatest) greatest = this.values[slot]!
    return greatest
  }

  clear(): void {
    for (const slot of this.slots) this.values[slot] = 0
    this.slots.length = 0
  }
}
