import { closeSync, openSync } from "node:fs"
import { writeAll } from "../base/write-all.ts"

const BLOCK_BYTES = 1 << 18

/** Many small pieces into one file, a block at a time. */
export class BlockWriter implements Disposable {
  readonly #file: number
  readonly #block = new Uint8Array(BLOCK_BYTES)
  #filled = 0
  #written = 0

  constructor(path: string) {
    this.#file = openSync(path, "w")
  }

  /** Bytes so far. */
  get length(): number {
    return this.#written + this.#filled
  }

  write(data: NodeJS.TypedArray): void {
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    if (this.#filled + bytes.length > BLOCK_BYTES) this.flush()
    if (bytes.length > BLOCK_BYTES) {
      writeAll(this.#file, bytes)
      this.#written += bytes.length
      return
    }
    this.#block.set(bytes, this.#filled)
    this.#filled += bytes.length
  }

  flush(): void {
    writeAll(this.#file, this.#block.subarray(0, this.#filled))
    this.#written += this.#filled
    this.#filled = 0
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
  }
}
