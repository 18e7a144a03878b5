/** How often each of the words of a WordCounter occurs in a text, by blocks of BLOCK_LINES lines. */
export type WordCounts = {
  /** The counts: `blocks[block * words + word]`, where `words` is the number of words of the counter. */
  readonly blocks: Uint32Array
  /** Number of words of any kind in each block. */
  readonly lengths: Uint32Array
}

export const BLOCK_LINES = 20

/**
 * Counts the words of a query in texts, in any case but without stemming: "contributor" is not found in CONTRIBUTING. A
 * word may be a part of an identifier (user in getUserName) or all its parts together (username in user_name). Letters
 * beyond ASCII count as lower case.
 */
export class WordCounter {
  readonly #words: number
  /**
   * A hash table with open addressing: per slot the hash of a word, and the word's position + 1; 0 marks a free slot.
   */
  readonly #hashes = new Int32Array(SLOTS)
  readonly #positions = new Uint8Array(SLOTS)

  /** The words must be in lower case; those after the first MAX_WORDS are not counted. */
  constructor(words: readonly string[]) {
    this.#words = Math.min(words.length, MAX_WORDS)
    for (let position = 0; position < this.#words; position++) this.#add(hashOf(words[position]!), position)
  }

  #add(hash: number, position: number): void {
    let slot = hash & MASK
    while (this.#positions[slot] !== 0 && this.#hashes[slot] !== hash) slot = (slot + 1) & MASK
    this.#hashes[slot] = hash
    this.#positions[slot] = position + 1
  }

  /** Position of the word with this hash, or -1. */
  #find(hash: number): number {
    let slot = hash & MASK
    while (this.#positions[slot] !== 0) {
      if (this.#hashes[slot] === hash) return this.#positions[slot]! - 1
      slot = (slot + 1) & MASK
    }
    return -1
  }

  /** Counts in the first `max` characters of a text. */
  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one loop over characters, run for every file that is read
  in(text: string, max: number): WordCounts {
    const words = this.#words
    const slots = this.#positions
    const end = Math.min(text.length, max)
    const blockCount = Math.floor(linesIn(text, end) / BLOCK_LINES) + 1
    const blocks = new Uint32Array(blockCount * words)
    const lengths = new Uint32Array(blockCount)
    let line = 0
    let block = 0
    // The hash of the identifier, of its current part, and of that part without its last character.
    let whole = SEED
    let part = SEED
    let before = SEED
    let parts = 0
    let size = 0
    let previous = OTHER
    for (let at = 0; at <= end; at++) {
      const code = at === end ? LINE_FEED : text.charCodeAt(at)
      const kind = code < 128 ? KINDS[code]! : LOWER
      if (size > 0 && ENDS_PART[previous * KIND_COUNT + kind] !== 0) {
        const isAcronymEnd = kind === LOWER
        if (!isAcronymEnd || size > 1) {
          const ended = isAcronymEnd ? before : part
          // The hash of most words of a text leads to a free slot, so that `#find` need not be called.
          if (slots[ended & MASK] !== 0) {
            const position = this.#find(ended)
            if (position >= 0) blocks[block * words + position]!++
          }
          lengths[block]!++
          parts++
          // The last capital of HTTPServer begins Server.
          part = isAcronymEnd ? mixed(SEED, text.charCodeAt(at - 1) | LOWER_BIT) : SEED
          size = isAcronymEnd ? 1 : 0
        }
      }
      if (kind >= JOINER) {
        if (kind === OTHER) {
          if (parts > 1 && slots[whole & MASK] !== 0) {
            const position = this.#find(whole)
            if (position >= 0) blocks[block * words + position]!++
          }
          whole = SEED
          parts = 0
          if (code === LINE_FEED && ++line % BLOCK_LINES === 0 && block + 1 < blockCount) block++
        }
      } else {
        const lower = kind === UPPER ? code | LOWER_BIT : code
        before = part
        part = mixed(part, lower)
        whole = mixed(whole, lower)
        size++
      }
      previous = kind
    }
    return { blocks, lengths }
  }
}

/** Maximum number of words that are counted, so that the hash table stays sparse. */
const MAX_WORDS = 32
const SLOTS = 1024
const MASK = SLOTS - 1

const LOWER = 0
const UPPER = 1
const DIGIT = 2
const JOINER = 3
const OTHER = 4
const KIND_COUNT = 5
const LINE_FEED = 10
const LOWER_BIT = 32
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/[a-z]/.test(character)) return LOWER
  if (/[A-Z]/.test(character)) return UPPER
  if (/\d/.test(character)) return DIGIT
  return character === "_" ? JOINER : OTHER
})

/**
 * 1 if a new part of an identifier begins between two characters, by kind of the first × KIND_COUNT + kind of the
 * second. Between a capital and a small letter, the part ends before the capital if it is an acronym: HTTP and Server.
 */
const ENDS_PART = Uint8Array.from({ length: KIND_COUNT * KIND_COUNT }, (_, at) => {
  const [previous, kind] = [Math.floor(at / KIND_COUNT), at % KIND_COUNT]
  if (previous >= JOINER) return 0
  if (kind >= JOINER || (kind === DIGIT) !== (previous === DIGIT)) return 1
  return (kind === UPPER && previous === LOWER) || (kind === LOWER && previous === UPPER) ? 1 : 0
})

function linesIn(text: string, end: number): number {
  let lines = 0
  for (let at = text.indexOf("\n"); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) lines++
  return lines
}

// FNV-1a.
const SEED = 0x811c9dc5 | 0

function mixed(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x01000193)
}

function hashOf(word: string): number {
  let hash = SEED
  for (let at = 0; at < word.length; at++) hash = mixed(hash, word.charCodeAt(at))
  return hash
}
