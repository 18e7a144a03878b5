import tablePath from "../../models/o200k.bin.zst" with { type: "file" }

/**
 * Returns the number of tokens of a text in o200k_base, which current models of OpenAI use. For other models the number
 * differs by about a tenth.
 */
export type CountTokens = (text: string) => number

/** Number of tokens in o200k_base without control tokens, which are counted as ordinary text. */
const TOKENS = 199_998

let loading: Promise<CountTokens> | null = null

/** Loads the token table once. This takes 20 ms and 6 MB, so it is done only for exact counts. */
export function loadTokenizer(): Promise<CountTokens> {
  loading ??= load()
  return loading
}

/**
 * Splits texts by the regular expression of gpt-tokenizer and counts the tokens of each part. The library's own table, of
 * strings and a map, takes 45 MB of private memory, and 66 while it loads (scripts/token-table.ts, docs/decisions/10-context.md).
 */
async function load(): Promise<CountTokens> {
  const [{ O200K_TOKEN_SPLIT_REGEX: parts }, packed] = await Promise.all([
    import("gpt-tokenizer/encodingParams/constants"),
    Bun.file(tablePath).bytes(),
  ])
  const table = new TokenTable(Bun.zstdDecompressSync(packed))
  return (text) => {
    let count = 0
    for (const [part] of text.matchAll(parts)) count += table.count(part)
    return count
  }
}

/*
 * The file of a token table has three parts, each in the order of ranks: one u8 per token, which is the length of its
 * text in UTF-16 units, or 200 plus the number of its bytes if they are not valid text; the texts as UTF-8; the bytes
 * of the tokens without text.
 */

const NO_TEXT = 200

const NO_RANK = Number.POSITIVE_INFINITY
const encoder = new TextEncoder()

/** The ranks of all tokens by their bytes, in a hash table of offsets into the file. */
class TokenTable {
  readonly #file: Uint8Array
  /** Where the bytes of each token begin and end. */
  readonly #from = new Uint32Array(TOKENS)
  readonly #to = new Uint32Array(TOKENS)
  /** Ranks + 1 at the hash of the token's bytes or after it; 0: empty. */
  readonly #slots = new Uint32Array(1 << 19)
  #scratch = new Uint8Array(1 << 10)

  constructor(file: Uint8Array) {
    this.#file = file
    let rest = 0
    for (let rank = 0; rank < TOKENS; rank++) rest += Math.max(0, file[rank]! - NO_TEXT)
    let text = TOKENS
    let other = file.length - rest
    for (let rank = 0; rank < TOKENS; rank++) {
      const length = file[rank]!
      const from = length < NO_TEXT ? text : other
      const to = length < NO_TEXT ? endOfText(file, from, length) : from + length - NO_TEXT
      if (length < NO_TEXT) text = to
      else other = to
      this.#from[rank] = from
      this.#to[rank] = to
      this.#slots[this.#slotOf(file, from, to)] = rank + 1
    }
  }

  /** The number of tokens of a part of a text. */
  count(part: string): number {
    if (3 * part.length > this.#scratch.length) this.#scratch = new Uint8Array(6 * part.length)
    const { written } = encoder.encodeInto(part, this.#scratch)
    // A lone surrogate, which is written as another character, is no token.
    const isWhole = written === part.length || part.isWellFormed()
    if (isWhole && this.#rankOf(this.#scratch, 0, written) !== NO_RANK) return 1
    return this.#merged(this.#scratch, written)
  }

  /** The number of tokens that are left when the pair of neighbours of the lowest rank is merged until none has a rank. */
  #merged(bytes: Uint8Array, length: number): number {
    const starts = Array.from({ length: length + 1 }, (_, at) => at)
    const pairAt = (at: number) =>
      at + 2 < starts.length ? this.#rankOf(bytes, starts[at]!, starts[at + 2]!) : NO_RANK
    const ranks = Array.from({ length }, (_, at) => pairAt(at))
    for (;;) {
      let lowest = 0
      for (let at = 1; at < ranks.length; at++) if (ranks[at]! < ranks[lowest]!) lowest = at
      if ((ranks[lowest] ?? NO_RANK) === NO_RANK) return ranks.length
      starts.splice(lowest + 1, 1)
      ranks.splice(lowest + 1, 1)
      ranks[lowest] = pairAt(lowest)
      if (lowest > 0) ranks[lowest - 1] = pairAt(lowest - 1)
    }
  }

  #rankOf(bytes: Uint8Array, from: number, to: number): number {
    const slot = this.#slots[this.#slotOf(bytes, from, to)]!
    return slot === 0 ? NO_RANK : slot - 1
  }

  /** The slot of a token with these bytes, or the empty one where it would be. */
  #slotOf(bytes: Uint8Array, from: number, to: number): number {
    const mask = this.#slots.length - 1
    let hash = 0x811c9dc5
    for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193)
    for (let slot = (hash ^ (hash >>> 15)) & mask; ; slot = (slot + 1) & mask) {
      const rank = this.#slots[slot]! - 1
      if (rank < 0 || this.#isToken(rank, bytes, from, to)) return slot
    }
  }

  #isToken(rank: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = this.#from[rank]!
    if (this.#to[rank]! - start !== to - from) return false
    for (let at = from; at < to; at++) if (this.#file[start + at - from] !== bytes[at]) return false
    return true
  }
}

/** Where a text of this many UTF-16 units ends in UTF-8. */
function endOfText(bytes: Uint8Array, from: number, units: number): number {
  let at = from
  for (let left = units; left > 0; ) {
    const first = bytes[at]!
    left -= first < 0xf0 ? 1 : 2
    at += first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
  }
  return at
}
