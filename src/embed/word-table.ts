/*
 * The file of a word table, little-endian, each part on a multiple of 4 bytes:
 *
 *   header  u32 × 4                 magic, format, words, dimensions
 *   slots   u16 × 65,536            word number + 1 by the low half of its hash, open addressing; 0 where empty
 *   high    u32 × words             high half of each word's hash
 *   scale   f32 × words             what a step of a word's numbers is worth
 *   steps   u8 × words × dims / 2   two numbers of 4 bits: i in the low half, i + dims / 2 in the high one
 *
 * A number n of 4 bits stands for (n − 7.5) × scale.
 */
const MAGIC = 0x574e_4d41 // "AMNW"
const FORMAT = 1
const HEADER_BYTES = 16
const SLOTS = 65_536

export const MIDDLE = 7.5
/** Of two slots one is empty, so that looking a word up ends soon. */
export const MOST_WORDS = SLOTS / 2

export type WordTable = {
  readonly words: number
  readonly dimensions: number
  readonly slots: Uint16Array
  readonly high: Uint32Array
  readonly scale: Float32Array
  readonly steps: Uint8Array
}

/** The table in such bytes, in place. Throws where they are none. */
export function readWordTable(bytes: Uint8Array): WordTable {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice()
  const { buffer, byteOffset, length } = aligned
  const [magic, format, words = 0, dimensions = 0] = new Uint32Array(buffer, byteOffset, HEADER_BYTES / 4)
  const at = layout(words, dimensions)
  if (magic !== MAGIC || format !== FORMAT || length !== at.end)
    throw new Error("not a table of word vectors")
  return {
    words,
    dimensions,
    slots: new Uint16Array(buffer, byteOffset + HEADER_BYTES, SLOTS),
    high: new Uint32Array(buffer, byteOffset + at.high, words),
    scale: new Float32Array(buffer, byteOffset + at.scale, words),
    steps: new Uint8Array(buffer, byteOffset + at.steps, (words * dimensions) / 2),
  }
}

/** The number of a word, or -1. */
export function findWord({ slots, high }: WordTable, wordHigh: number, wordLow: number): number {
  let slot = wordLow & (SLOTS - 1)
  for (;;) {
    const word = slots[slot]! - 1
    if (word < 0 || high[word] === wordHigh) return word
    slot = (slot + 1) & (SLOTS - 1)
  }
}

/** The bytes of a table; hashes as low and high in turn. */
export function encodeWordTable(
  hashes: Uint32Array,
  scale: Float32Array,
  steps: Uint8Array,
  dimensions: number,
): Uint8Array {
  const words = scale.length
  if (words > MOST_WORDS) throw new Error(`a table has at most ${MOST_WORDS} words`)
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
