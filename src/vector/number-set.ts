const FEWEST = 1 << 13
/** More than this many places are given back by the next `clear`. */
const MOST_KEPT = 1 << 16
/** 2³² ÷ the golden ratio. */
const SPREAD = 0x9e37_79b1

/** Numbers below 2³² − 1, open addressing, to be used again and again. */
export class NumberSet {
  /** Each a number + 1. */
  #places = new Uint32Array(FEWEST)
  #count = 0

  clear(): void {
    if (this.#places.length > MOST_KEPT) this.#places = new Uint32Array(FEWEST)
    else this.#places.fill(0)
    this.#count = 0
  }

  /** False where it was in it. */
  add(number: number): boolean {
    const places = this.#places
    const place = placeOf(places, number)
    if (places[place] !== 0) return false
    places[place] = number + 1
    if (++this.#count > places.length / 2) this.#grow()
    return true
  }

  #grow(): void {
    const grown = new Uint32Array(this.#places.length * 2)
    for (const value of this.#places) if (value !== 0) grown[placeOf(grown, value - 1)] = value
    this.#places = grown
  }
}

/** Where a number stands, or would. */
function placeOf(places: Uint32Array, number: number): number {
  const mask = places.length - 1
  let place = (Math.imul(number, SPREAD) >>> 8) & mask
  while (places[place] !== 0 && places[place] !== number + 1) place = (place + 1) & mask
  return place
}
