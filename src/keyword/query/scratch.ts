const INITIAL_BYTES = 1 << 16
const NOTHING = new ArrayBuffer(0)

/**
 * Provides zeroed arrays for the duration of a query. They are parts of one buffer that the next query reuses;
 * otherwise the garbage of the queries would fill the memory of a server. Between queries there is only a weak
 * reference to the buffer, so that a garbage collection can free it: a few queries need megabytes, most need little.
 */
export class Scratch {
  #buffer = NOTHING
  #reusable = new WeakRef(NOTHING)
  #used = 0

  u32(length: number): Uint32Array {
    const at = this.#take(length)
    return new Uint32Array(this.#buffer, at, length).fill(0)
  }

  f32(length: number): Float32Array {
    const at = this.#take(length)
    return new Float32Array(this.#buffer, at, length).fill(0)
  }

  /** Must be called before a query. */
  begin(): void {
    this.#buffer = this.#reusable.deref() ?? this.#buffer
    this.#used = 0
  }

  /** Must be called after a query. Arrays provided for the query must not be used any more. */
  end(): void {
    if (this.#reusable.deref() !== this.#buffer) this.#reusable = new WeakRef(this.#buffer)
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
