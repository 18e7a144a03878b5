/**
 * Of each file, by ascending id, the hashes of the names that it uses, ascending; in one array, as all are looked
 * through.
 */
export class NameLists {
  readonly hashes: Uint32Array
  readonly #ids: readonly number[]
  /** Where each file's begin, and the end of the last. */
  readonly #starts: Uint32Array

  constructor(rows: readonly (readonly [id: number, hashes: Uint8Array])[]) {
    this.#ids = rows.map(([id]) => id)
    this.#starts = new Uint32Array(rows.length + 1)
    for (const [at, [, { byteLength }]] of rows.entries())
      this.#starts[at + 1] = this.#starts[at]! + byteLength / 4
    this.hashes = new Uint32Array(this.#starts[rows.length]!)
    const bytes = new Uint8Array(this.hashes.buffer)
    for (const [at, [, own]] of rows.entries()) bytes.set(own, 4 * this.#starts[at]!)
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
    const [ids, starts] = [this.#ids, this.#starts]
    const share = hash / 2 ** 32
    const found: number[] = []
    let to = 0
    for (let place = 0; place < ids.length; place++) {
      const from = to
      to = starts[place + 1]!
      let at = from + Math.floor((to - from) * share)
      while (at < to && hashes[at]! < hash) at++
      while (at > from && hashes[at - 1]! >= hash) at--
      if (at < to && hashes[at] === hash) found.push(ids[place]!)
    }
    return found
  }
}
