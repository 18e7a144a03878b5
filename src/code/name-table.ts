/** Which files define a name, by a hash of it: an open hash table, as a map of arrays takes ten times the room. */
export class NameTable {
  /** Of each entry. */
  readonly hashes: Uint32Array
  readonly files: Int32Array
  readonly #next: Int32Array
  /** How many entries a name has, at each of them how many it had by then. */
  readonly #counts: Int32Array
  readonly #heads: Int32Array
  readonly #mask: number

  /** By file, the hashes of what it defines. */
  constructor(defined: readonly Uint32Array[]) {
    const size = defined.reduce((sum, { length }) => sum + length, 0)
    const slots = 2 ** Math.ceil(Math.log2(2 * size + 2))
    this.#mask = slots - 1
    this.#heads = new Int32Array(slots).fill(NONE)
    this.#next = new Int32Array(size).fill(NONE)
    this.#counts = new Int32Array(size)
    this.hashes = new Uint32Array(size)
    this.files = new Int32Array(size)
    let entry = 0
    // Backwards, so that the entries of a name are met in the order of files.
    for (let file = defined.length - 1; file >= 0; file--) {
      for (const hash of defined[file]!) this.#add(entry++, hash, file)
    }
  }

  /** The first entry of a name, or -1. */
  first(hash: number): number {
    return this.#heads[this.#slotOf(hash)]!
  }

  /** The next entry of the same name, or -1. */
  next(entry: number): number {
    return this.#next[entry]!
  }

  /** How many entries there are from this one on. */
  count(entry: number): number {
    return this.#counts[entry]!
  }

  #add(entry: number, hash: number, file: number): void {
    const slot = this.#slotOf(hash)
    this.hashes[entry] = hash
    this.files[entry] = file
    const known = this.#heads[slot]!
    this.#next[entry] = known
    this.#counts[entry] = known === NONE ? 1 : this.#counts[known]! + 1
    this.#heads[slot] = entry
  }

  /** That of the name, or the free one where it would stand. */
  #slotOf(hash: number): number {
    let slot = hash & this.#mask
    for (let head = this.#heads[slot]!; head !== NONE; head = this.#heads[slot]!) {
      if (this.hashes[head] === hash) return slot
      slot = (slot + 1) & this.#mask
    }
    return slot
  }
}

const NONE = -1
