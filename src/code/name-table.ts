/** Which files define a name, by a hash of it: an open hash table, as a map of arrays takes ten times the room. */
export class NameTable {
  /** Of each entry; entries are in the order of their files. */
  readonly hashes: Uint32Array
  readonly files: Int32Array
  readonly #next: Int32Array
  /** How many entries a name has from each of them on, as far as a byte tells. */
  readonly #counts: Uint8Array
  readonly #heads: Int32Array
  readonly #mask: number

  /** What all files define, one after another; `ends`: how many hashes there are up to the end of each. */
  constructor(hashes: Uint32Array, ends: Uint32Array) {
    const size = hashes.length
    const slots = 2 ** Math.ceil(Math.log2(2 * size + 2))
    this.hashes = hashes
    this.files = new Int32Array(size)
    this.#mask = slots - 1
    this.#heads = new Int32Array(slots).fill(NONE)
    this.#next = new Int32Array(size)
    this.#counts = new Uint8Array(size)
    // Backwards, so that the entries of a name are met in the order of files.
    for (let file = ends.length - 1, entry = size - 1; file >= 0; file--) {
      for (const start = ends[file - 1] ?? 0; entry >= start; entry--) this.#add(entry, file)
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

  /** How many entries there are from this one on, MOST_COUNTED where more. */
  count(entry: number): number {
    return this.#counts[entry]!
  }

  #add(entry: number, file: number): void {
    const slot = this.#slotOf(this.hashes[entry]!)
    const known = this.#heads[slot]!
    this.files[entry] = file
    this.#next[entry] = known
    this.#counts[entry] = known === NONE ? 1 : Math.min(this.#counts[known]! + 1, MOST_COUNTED)
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
const MOST_COUNTED = 255
