import type { DocumentFailure, DocumentLimits } from "./document-text.ts"

/**
 * Counts the work on one document. Counting throws above a limit, and goes on throwing, so that a parser that tolerates
 * errors ends as well.
 */
export class DocumentWork {
  readonly limits: DocumentLimits
  #steps = 0
  #unpackedBytes = 0
  #exceeded: DocumentFailure | null = null

  constructor(limits: DocumentLimits) {
    this.limits = limits
  }

  /** The limit that the document has exceeded; null if none. */
  get exceeded(): DocumentFailure | null {
    return this.#exceeded
  }

  step(count = 1): void {
    this.#steps += count
    if (this.#exceeded !== null || this.#steps > this.limits.maxSteps) this.#fail("too complex")
  }

  /** Counts bytes that were unpacked; `partBytes` of its part so far. */
  unpack(bytes: number, partBytes: number): void {
    const { maxPartBytes, maxUnpackedBytes } = this.limits
    this.#unpackedBytes += bytes
    const isTooLarge = partBytes > maxPartBytes || this.#unpackedBytes > maxUnpackedBytes
    if (this.#exceeded !== null || isTooLarge) this.#fail("unpacks too large")
  }

  #fail(limit: DocumentFailure): never {
    this.#exceeded ??= limit
    throw new Error(limit)
  }
}
