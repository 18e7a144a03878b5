/** Texts of a stored image: decoded when asked for, and found by their own hash table, so that opening takes no time. */
export class FrozenStrings {
  readonly #units: Uint16Array
  /** Text i consists of the code units from ends[i] to ends[i + 1]. */
  readonly #ends: Uint32Array
  /** Index of a text + 1 at its place by hash, or in the next free one; 0 for an empty place. */
  readonly #places: Uint32Array
  readonly #buffer: Buffer

  constructor({ units, ends, places }: StringLists) {
    this.#units = units
    this.#ends = ends
    this.#places = places
    this.#buffer = Buffer.from(units.buffer, units.byteOffset, units.byteLength)
  }

  get size(): number {
    return this.#ends.length - 1
  }

  at(index: number): string {
    return this.#buffer.toString("utf16le", this.#ends[index]! * 2, this.#ends[index + 1]! * 2)
  }

  /** Number of code units of a text. */
  lengthOf(index: number): number {
    return this.#ends[index + 1]! - this.#ends[index]!
  }

  /** Index of the text; -1 when it is not among these. */
  find(text: string): number {
    const mask = this.#places.length - 1
    for (let at = hashString(text) & mask; ; at = (at + 1) & mask) {
      const index = this.#places[at]! - 1
      if (index < 0 || this.#isAt(index, text)) return index
    }
  }

  #isAt(index: number, text: string): boolean {
    if (this.lengthOf(index) !== text.length) return false
    const start = this.#ends[index]!
    for (let i = 0; i < text.length; i++) if (this.#units[start + i] !== text.charCodeAt(i)) return false
    return true
  }
}

/** The stored form of `FrozenStrings`. UTF-16, because ids and names can contain lone surrogates. */
export type StringLists = {
  readonly units: Uint16Array
  readonly ends: Uint32Array
  readonly places: Uint32Array
}

/** `texts` must be distinct. */
export function freezeStrings(texts: readonly string[]): StringLists {
  const ends = new Uint32Array(texts.length + 1)
  for (const [i, { length }] of texts.entries()) ends[i + 1] = ends[i]! + length
  const units = new Uint16Array(ends[texts.length]!)
  // Twice as many places as texts, so that most are found at the first place.
  const places = new Uint32Array(2 ** Math.ceil(Math.log2(texts.length * 2 + 2)))
  for (const [i, text] of texts.entries()) {
    for (let at = 0; at < text.length; at++) units[ends[i]! + at] = text.charCodeAt(at)
    let place = hashString(text) & (places.length - 1)
    while (places[place] !== 0) place = (place + 1) & (places.length - 1)
    places[place] = i + 1
  }
  return { units, ends, places }
}

function hashString(text: string): number {
  let hash = text.length
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x9e3779b1)
    hash ^= hash >>> 15
  }
  return hash >>> 0
}

/** Lists of numbers, one after the other: list i from ends[i] to ends[i + 1]. */
export type NumberLists = { readonly ends: Uint32Array; readonly numbers: Numbers }

/** Numbers that may be stored with 16 bits each. */
export type Numbers = Uint32Array | Uint16Array

export function listAt({ ends, numbers }: NumberLists, index: number): Numbers {
  return numbers.subarray(ends[index]!, ends[index + 1]!)
}

/** A copy as an array, which loops over arrays read faster; `Array.from` takes ten times as long. */
export function copyNumbers(numbers: ArrayLike<number>): number[] {
  const copy = new Array<number>(numbers.length)
  for (let i = 0; i < numbers.length; i++) copy[i] = numbers[i]!
  return copy
}

/** `listOf` returns list i of `count` lists; it is called twice for each. */
export function freezeLists(count: number, listOf: (index: number) => ArrayLike<number>): NumberLists {
  const ends = new Uint32Array(count + 1)
  for (let i = 0; i < count; i++) ends[i + 1] = ends[i]! + listOf(i).length
  const numbers = new Uint32Array(ends[count]!)
  for (let i = 0; i < count; i++) numbers.set(listOf(i), ends[i]!)
  return { ends, numbers }
}
