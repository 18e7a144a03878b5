/**
 * Of each file, by ascending id, the hashes of the names that it uses, ascending; in one array, as all are looked
 * through.
 */
export class NameLists {
  readonly hashes: Uint32Array
  readonly #ids: readonly number[]
  /** Where each file's begin, and the end of the last. */
  readonly #starts: Uint32Array
  /** Of each file eight bits for each of its hashes, of which every hash sets one: most files are passed over by that. */
  readonly #bits: Uint8Array

  constructor(rows: readonly (readonly [id: number, hashes: Uint8Array])[]) {
    this.#ids = rows.map(([id]) => id)
    this.#starts = new Uint32Array(rows.length + 1)
    for (const [at, [, { byteLength }]] of rows.entries())
      this.#starts[at + 1] = this.#starts[at]! + byteLength / 4
    this.hashes = new Uint32Array(this.#starts[rows.length]!)
    const bytes = new Uint8Array(this.hashes.buffer)
    for (const [at, [, own]] of rows.entries()) bytes.set(own, 4 * this.#starts[at]!)
    this.#bits = bitsOf(this.hashes, this.#starts)
  }

  /** The greatest id; ids only grow. */
  get newest(): number {
    return this.#ids.at(-1) ?? 0
  }

  /** These, as far as they are still there, and newer ones. */
  with(
    newer: readonly (readonly [id: number, hashes: Uint8Array])[],
    current: ReadonlySet<number>,
  ): NameLists {
    const bytes = new Uint8Array(this.hashes.buffer)
    const kept = this.#ids.flatMap((id, at): [number, Uint8Array][] =>
      current.has(id) ? [[id, bytes.subarray(4 * this.#starts[at]!, 4 * this.#starts[at + 1]!)]] : [],
    )
    return new NameLists([...kept, ...newer])
  }

  /**
   * Ids of the files with that hash. Hashes lie evenly: one begins where it would lie if they did so exactly, seldom
   * far off.
   */
  holding(hash: number): number[] {
    const { hashes } = this
    const [ids, starts, bits] = [this.#ids, this.#starts, this.#bits]
    const share = hash / 2 ** 32
    const other = shareOfRest(hash)
    const found: number[] = []
    let to = 0
    for (let place = 0; place < ids.length; place++) {
      const from = to
      to = starts[place + 1]!
      const bit = Math.floor(8 * (to - from) * other)
      if (((bits[from + (bit >>> 3)] ?? 0) & (1 << (bit & 7))) === 0) continue
      let at = from + Math.floor((to - from) * share)
      while (at < to && hashes[at]! < hash) at++
      while (at > from && hashes[at - 1]! >= hash) at--
      if (at < to && hashes[at] === hash) found.push(ids[place]!)
    }
    return found
  }
}

function bitsOf(hashes: Uint32Array, starts: Uint32Array): Uint8Array {
  const bits = new Uint8Array(hashes.length)
  for (let place = 1; place < starts.length; place++) {
    const from = starts[place - 1]!
    const to = starts[place]!
    for (let at = from; at < to; at++) {
      const bit = Math.floor(8 * (to - from) * shareOfRest(hashes[at]!))
      bits[from + (bit >>> 3)]! |= 1 << (bit & 7)
    }
  }
  return bits
}

/** From 0 to below 1 by the lower bits, as the higher ones say where it lies. */
function shareOfRest(hash: number): number {
  return (hash & 0xffff) / 0x1_0000
}
