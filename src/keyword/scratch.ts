const INITIAL_BYTES = 1 << 16
const NOTHING = new ArrayBuffer(0)

/**
 * Arrays of zeros for the length of a query: cut from one buffer that the next query uses again, for what is thrown
 * away by each question is what a server's memory fills up with. Between queries a collection may take it: a few
 * questions need megabytes, and most need little.
 */
export class Scratch {
  #buffer = NOTHING
  #kept = new WeakRef(NOTHING)
  #used = 0

  u32(length: number): Uint32Array {
    const at = this.#take(length)
    return new Uint32Array(this.#buffer, at, length).fill(0)
  }

  f32(length: number): Float32Array {
    const at = this.#take(length)
    return new Float32Array(this.#buffer, at, length).fill(0)
  }

  /** Before a query. */
  begin(): void {
    this.#buffer = this.#kept.deref() ?? this.#buffer
    this.#used = 0
  }

  /** What was given out is not used any more. */
  end(): void {
    if (this.#kept.deref() !== this.#buffer) this.#kept = new WeakRef(this.#buffer)
    this.#buffer = NOTHING
    this.#used = 0
  }

  #take(length: number): number {
    const bytes = length * 4
    if (this.#used + bytes > this.#buffer.byteLength) {
      this.#buffer = new ArrayBuffer(Math.max(bytes, this.#buffer.byteLength * 2, INITIAL_BYTES))
      this.#used = 0
    }
    const at = this.#used
    this.#used += bytes
    return at
  }
}
