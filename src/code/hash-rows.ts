import { GrowingU32 } from "../base/growing.ts"

/** Some hashes of each file, end to end: an array or a set of its own would take ten times the room. */
export class HashRows {
  readonly #hashes = new GrowingU32()
  readonly #ends = new GrowingU32()

  /** All of them, file by file; there may be room for more behind. */
  get hashes(): Uint32Array {
    return this.#hashes.values
  }

  /** How many there are up to the end of each file's. */
  get ends(): Uint32Array {
    return this.#ends.view()
  }

  /** Those of the next file. */
  push<T>(items: ArrayLike<T>, hashOf: (item: T) => number): void {
    for (let i = 0; i < items.length; i++) this.#hashes.push(hashOf(items[i]!))
    this.#ends.push(this.#hashes.length)
  }

  of(file: number): Uint32Array {
    return this.hashes.subarray(this.start(file), this.end(file))
  }

  start(file: number): number {
    return file === 0 ? 0 : this.#ends.values[file - 1]!
  }

  end(file: number): number {
    return this.#ends.values[file]!
  }
}
