/*
 * The file of a token table: the length of each token in bytes, by rank (u8 each), then all tokens' bytes, by rank.
 */
const OFFSET_BASIS = 0x811c_9dc5
const PRIME = 0x0100_0193

/** What a tokenizer knows: the rank of a run of bytes. Made from its file in some milliseconds. */
export class TokenTable {
  readonly #bytes: Uint8Array
  /** Where each token begins in the bytes; one more at the end. */
  readonly #starts: Uint32Array
  /** Rank + 1 by hash, open addressing; 0 where empty. */
  readonly #slots: Uint32Array

  constructor(file: Uint8Array, tokens: number) {
    this.#bytes = file.subarray(tokens)
    this.#starts = new Uint32Array(tokens + 1)
    // Of two slots one is empty at least, so that looking up ends soon.
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(tokens * 2)))
    for (let rank = 0; rank < tokens; rank++) {
      const from = this.#starts[rank]!
      const to = from + file[rank]!
      this.#starts[rank + 1] = to
      this.#slots[this.#slotOf(this.#bytes, from, to)] = rank + 1
    }
  }

  /** Of these bytes as one token; -1 where they are none. */
  rankOf(bytes: Uint8Array, from: number, to: number): number {
    return this.#slots[this.#slotOf(bytes, from, to)]! - 1
  }

  /** Where these bytes stand, or the empty slot where they would. */
  #slotOf(bytes: Uint8Array, from: number, to: number): number {
    const last = this.#slots.length - 1
    let hash = OFFSET_BASIS
    for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at]!, PRIME)
    for (let slot = (hash ^ (hash >>> 15)) & last; ; slot = (slot + 1) & last) {
      const rank = this.#slots[slot]! - 1
      if (rank < 0 || this.#is(rank, bytes, from, to)) return slot
    }
  }

  #is(rank: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = this.#starts[rank]!
    if (this.#starts[rank + 1]! - start !== to - from) return false
    for (let at = from; at < to; at++) if (bytes[at] !== this.#bytes[start + at - from]) return false
    return true
  }
}

/** The bytes of a table's file. */
export function encodeTokenTable(tokens: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat([Uint8Array.from(tokens, ({ length }) => length), ...tokens])
}
