/*
 * The file of a word table, little-endian, each part on a multiple of 4 bytes:
 *
 *   header  u32 × 4                 magic, format, words, dimensions
 *   slots   u16 × 65,536            word number + 1 by the low half of its hash, open addressing; 0 where empty
 *   high    u32 × words             high half of each word's hash
 *   scale   f32 × words             size of one step of a word's numbers
 *   steps   u8 × words × dims / 2   two numbers of 4 bits: i in the low half, i + dims / 2 in the high one
 *
 * A number n of 4 bits stands for (n − 7.5) × scale.
 */
const MAGIC = 0x574e_4d41 // "AMNW"
const FORMAT = 1
const HEADER_BYTES = 16
const SLOTS = 65_536

export const MIDDLE = 7.5
/** Maximum number of words. At least half of the slots stay empty, so that lookups are short. */
export const MAX_WORDS = SLOTS / 2

/** The words of a table and their scales, without their vectors. */
export type WordList = {
  readonly words: number
  readonly dimensions: number
  readonly slots: Uint16Array
  readonly high: Uint32Array
  readonly scale: Float32Array
}

export type WordTable = WordList & {
  readonly steps: Uint8Array
  /** The offset of a word's numbers in `steps`. */
  stepsOf(word: number): number
}

/** Reads a table in place from bytes. Throws if the bytes are no table. */
export function readWordTable(bytes: Uint8Array): WordTable {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice()
  const list = readList(aligned, aligned.length)
  const half = list.dimensions / 2
  const steps = aligned.subarray(layout(list.words, list.dimensions).steps)
  return { ...list, steps, stepsOf: (word) => word * half }
}

/**
 * Opens the file of a table and reads only its list of words. The vector of a word is read when a query needs it,
 * because a query needs about ten vectors of thirty thousand.
 */
export async function openWordTable(file: Blob): Promise<FileWordTable> {
  const header = await file.slice(0, HEADER_BYTES).bytes()
  const [, , words = 0, dimensions = 0] = new Uint32Array(header.buffer, header.byteOffset)
  const from = layout(words, dimensions).steps
  return new FileWordTable(readList(await file.slice(0, from).bytes(), file.size), file.slice(from))
}

export class FileWordTable implements WordTable {
  readonly words: number
  readonly dimensions: number
  readonly slots: Uint16Array
  readonly high: Uint32Array
  readonly scale: Float32Array
  steps = new Uint8Array(0)
  readonly #file: Blob
  readonly #places = new Map<number, number>()

  /** `file` is the part of the file that contains the steps of all words. */
  constructor({ words, dimensions, slots, high, scale }: WordList, file: Blob) {
    this.words = words
    this.dimensions = dimensions
    this.slots = slots
    this.high = high
    this.scale = scale
    this.#file = file
  }

  /** The offset of a word's numbers in `steps`. May only be called for words that were passed to `load` before. */
  stepsOf(word: number): number {
    return this.#places.get(word)!
  }

  async load(words: readonly number[]): Promise<void> {
    const half = this.dimensions / 2
    const missing = words.filter((word) => !this.#places.has(word))
    const rows = missing.map((word) => this.#file.slice(word * half, (word + 1) * half).bytes())
    for (const [i, row] of (await Promise.all(rows)).entries()) this.#keep(missing[i]!, row)
  }

  #keep(word: number, row: Uint8Array): void {
    if (this.#places.has(word)) return
    const at = this.#places.size * row.length
    if (at === this.steps.length) {
      const larger = new Uint8Array(Math.max(INITIAL_WORDS * row.length, at * 2))
      larger.set(this.steps)
      this.steps = larger
    }
    this.steps.set(row, at)
    this.#places.set(word, at)
  }
}

const INITIAL_WORDS = 16

/** Reads and checks the list of words. `size` is the size of the whole file. */
function readList({ buffer, byteOffset }: Uint8Array, size: number): WordList {
  const [magic, format, words = 0, dimensions = 0] = new Uint32Array(buffer, byteOffset, HEADER_BYTES / 4)
  const at = layout(words, dimensions)
  if (magic !== MAGIC || format !== FORMAT || size !== at.end) throw new Error("not a table of word vectors")
  return {
    words,
    dimensions,
    slots: new Uint16Array(buffer, byteOffset + HEADER_BYTES, SLOTS),
    high: new Uint32Array(buffer, byteOffset + at.high, words),
    scale: new Float32Array(buffer, byteOffset + at.scale, words),
  }
}

/** The number of a word; −1 if the table lacks it. */
export function findWord({ slots, high }: WordList, wordHigh: number, wordLow: number): number {
  let slot = wordLow & (SLOTS - 1)
  for (;;) {
    const word = slots[slot]! - 1
    if (word < 0 || high[word] === wordHigh) return word
    slot = (slot + 1) & (SLOTS - 1)
  }
}

/** Encodes a table. `hashes` contains the low half and the high half of the hash of each word, alternating. */
export function encodeWordTable(
  hashes: Uint32Array,
  scale: Float32Array,
  steps: Uint8Array,
  dimensions: number,
): Uint8Array {
  const words = scale.length
  if (words > MAX_WORDS) throw new Error(`a table has at most ${MAX_WORDS} words`)
  const at = layout(words, dimensions)
  const bytes = new Uint8Array(at.end)
  new Uint32Array(bytes.buffer, 0, HEADER_BYTES / 4).set([MAGIC, FORMAT, words, dimensions])
  const slots = new Uint16Array(bytes.buffer, HEADER_BYTES, SLOTS)
  const high = new Uint32Array(bytes.buffer, at.high, words)
  for (let word = 0; word < words; word++) {
    high[word] = hashes[2 * word + 1]!
    let slot = hashes[2 * word]! & (SLOTS - 1)
    while (slots[slot] !== 0) slot = (slot + 1) & (SLOTS - 1)
    slots[slot] = word + 1
  }
  new Float32Array(bytes.buffer, at.scale, words).set(scale)
  bytes.set(steps, at.steps)
  return bytes
}

function layout(words: number, dimensions: number) {
  const high = HEADER_BYTES + SLOTS * 2
  const scale = high + words * 4
  const steps = scale + words * 4
  return { high, scale, steps, end: steps + (words * dimensions) / 2 }
}
