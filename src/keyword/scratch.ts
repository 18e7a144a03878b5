/**
 * Arrays of zeros for the length of a query: cut from one buffer that the next query uses again, for what is thrown away
 * by each question is what a server's memory fills up with.
 */
export class Scratch {
  #buffer = new ArrayBuffer(INITIAL_BYTES)
  #used = 0

  u32(length: number): Uint32Array {
    const at = this.#take(length)
    return new Uint32Array(this.#buffer, at, length).fill(0)
  }

  f32(length: number): Float32Array {
    const at = this.#take(length)
    return new Float32Array(this.#buffer, at, length).fill(0)
  }

  /** What was given out is not used any more. */
  clear(): void {
    this.#used = 0
  }

  #take(length: number): number {
    const bytes = length * 4
    if (this.#used + bytes > this.#buffer.byteLength) {
      this.#buffer = new ArrayBuffer(Math.max(bytes, this.#buffer.byteLength * 2))
      this.#used = 0
    }
    const at = this.#used
    this.#used += bytes
    return at
  }
}

const INITIAL_BYTES = 1 << 16
