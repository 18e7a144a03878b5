import { createHash, timingSafeEqual } from "node:crypto"

/** The tokens that a server takes, compared in a time that tells nothing of how much of one was right. */
export class Tokens {
  readonly #digests: readonly Buffer[]

  constructor(tokens: readonly string[]) {
    this.#digests = tokens.map(digest)
  }

  /** Everybody may ask. */
  get areNone(): boolean {
    return this.#digests.length === 0
  }

  /** Which of them a request carries; -1: none of them, 0 where none is asked for. */
  bearer(authorization: string | null): number {
    if (this.areNone) return 0
    const [, token] = /^Bearer +(\S+)\s*$/i.exec(authorization ?? "") ?? []
    if (token === undefined) return -1
    const given = digest(token)
    let found = -1
    // Every one is looked at, whichever fits.
    for (const [at, known] of this.#digests.entries()) if (timingSafeEqual(known, given)) found = at
    return found
  }
}

function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest()
}
