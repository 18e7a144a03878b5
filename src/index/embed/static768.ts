export const STATIC768_DIMENSIONS = 768

// A word's dimension is its hash FNV-1 with 64 bits (multiply, then xor) modulo 768, computed without BigInt.
// http://www.isthe.com/chongo/tech/comp/fnv/: the prime is 2^40 + 0x1b3, the offset basis 0xcbf29ce484222325.
const PRIME_LOW = 0x1b3
const OFFSET_LOW = 0x84222325 | 0
const OFFSET_HIGH = 0xcbf29ce4 | 0

/**
 * The bucket of the first two bytes of a three-byte window, `pair` = (first << 8) | second. The bucket of the window is
 * `pairBucket(pair) ^ third`, because FNV-1 xors the last byte into the lowest byte of the hash alone, and the bucket of
 * a hash is its lowest byte + 256 × a number that depends only on the bytes above (see `bucket`).
 */
export function pairBucket(pair: number): number {
  pairs.reset()
  pairs.add(pair >>> 8)
  pairs.add(pair & 255)
  pairs.multiply()
  return pairs.bucket()
}

/** A table of `pairBucket` for all pairs. It is worth building for many texts, but not for one query. */
export function pairBuckets(): Uint16Array {
  if (table !== undefined) return table
  table = new Uint16Array(1 << 16)
  for (let pair = 0; pair < table.length; pair++) table[pair] = pairBucket(pair)
  return table
}

let table: Uint16Array | undefined

/** The running hash as two signed 32-bit halves, which engines keep as integers. */
export class Fnv {
  low = OFFSET_LOW
  high = OFFSET_HIGH

  reset(): void {
    this.low = OFFSET_LOW
    this.high = OFFSET_HIGH
  }

  add(byte: number): void {
    this.multiply()
    this.low ^= byte
  }

  multiply(): void {
    // These are products of 16 × 9 bits, which fit into 32 bits. Multiplying with 2^40 (part of the prime) adds the low
    // half, shifted by 8 bits, to the high half.
    const low = this.low
    const small = Math.imul(low & 0xffff, PRIME_LOW)
    const large = Math.imul(low >>> 16, PRIME_LOW) + (small >>> 16)
    this.high = (Math.imul(this.high, PRIME_LOW) + (large >>> 16) + (low << 8)) | 0
    this.low = (large << 16) | (small & 0xffff)
  }

  bucket(): number {
    // This uses 2^32 ≡ 1 and 2^8 ≡ 1 modulo 3.
    const high = (((this.high >>> 0) % 3) + ((this.low >>> 8) % 3)) % 3
    return (this.low & 255) + 256 * high
  }
}

const pairs = new Fnv()

/**
 * The letters and digits of a text in lower case, as UTF-8 without anything between them. The bytes are a buffer of
 * this thread, which the next call overwrites.
 */
function foldedBytes(text: string): { readonly bytes: Uint8Array; readonly length: number } {
  // A UTF-16 unit takes at most three bytes, a surrogate pair four.
  if (buffer.length < text.length * 3) buffer = new Uint8Array(text.length * 4)
  let length = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 128) {
      const folded = ascii[unit]!
      if (folded !== 0) buffer[length++] = folded
      continue
    }
    const point = text.codePointAt(i)!
    if (point > 0xffff) i++
    length = append(fold(point), length)
  }
  return { bytes: buffer, length }
}

let buffer = new Uint8Array(16_384)
/** Number of bytes in the buffer that belong to the text that was embedded last. */
let bufferLength = 0

/** For each ASCII character, the byte of its lower-case form if it is a letter or digit; 0 for other characters. */
const ascii = new Uint8Array(128)
for (let char = 48; char < 58; char++) ascii[char] = char
for (let char = 97; char < 123; char++) {
  ascii[char] = char
  ascii[char - 32] = char
}

const LETTER_OR_DIGIT = /[\p{L}\p{Nd}]/u
const DROPPED = 0
const foldedPoints = new Map<number, number>()

/**
 * The code point in lower case; 0 for a character that is dropped. A sigma never becomes the final form, because single
 * letters are converted.
 */
function fold(point: number): number {
  let folded = foldedPoints.get(point)
  if (folded === undefined) {
    const lower = String.fromCodePoint(point).toLowerCase().codePointAt(0)!
    folded = LETTER_OR_DIGIT.test(String.fromCodePoint(lower)) ? lower : DROPPED
    foldedPoints.set(point, folded)
  }
  return folded
}

function append(point: number, at: number): number {
  if (point === DROPPED) return at
  if (point < 0x80) {
    buffer[at] = point
    return at + 1
  }
  if (point < 0x800) {
    buffer[at] = 0xc0 | (point >> 6)
    buffer[at + 1] = 0x80 | (point & 63)
    return at + 2
  }
  if (point < 0x1_0000) {
    buffer[at] = 0xe0 | (point >> 12)
    buffer[at + 1] = 0x80 | ((point >> 6) & 63)
    buffer[at + 2] = 0x80 | (point & 63)
    return at + 3
  }
  buffer[at] = 0xf0 | (point >> 18)
  buffer[at + 1] = 0x80 | ((point >> 12) & 63)
  buffer[at + 2] = 0x80 | ((point >> 6) & 63)
  buffer[at + 3] = 0x80 | (point & 63)
  return at + 4
}

const TOKEN_WEIGHT = 0.7
const TRIGRAM_WEIGHT = 0.3

const STOP_WORDS =
  "func function def class return import const var let int string bool void true false nil null this self new"
const MAX_STOP_WORD_LENGTH = 8

/**
 * Writes the static768 vector of a text to `out`, from position `offset` on: hashed words (weight 0.7) and hashed
 * windows of three bytes (0.3), scaled to length 1. It is all zeros if the text has neither letters nor digits.
 */
export function embedStatic768(text: string, out: Float32Array, offset = 0): void {
  counts.fill(0)
  countTokens(text)
  countTrigrams(text)
  writeUnit(counts, out, offset)
}

function writeUnit(counts: Float64Array, out: Float32Array, offset: number): void {
  let squares = 0
  for (let i = 0; i < STATIC768_DIMENSIONS; i++) squares += counts[i]! * counts[i]!
  const scale = squares === 0 ? 0 : 1 / Math.sqrt(squares)
  for (let i = 0; i < STATIC768_DIMENSIONS; i++) out[offset + i] = counts[i]! * scale
}

// All calls of the thread share this array, so that a call creates no garbage.
const counts = new Float64Array(STATIC768_DIMENSIONS)

/** Adds up the counts of texts that follow each other in a file. */
export class JoinedTexts {
  readonly #counts = new Float64Array(STATIC768_DIMENSIONS)
  /** The last two letters or digits of the texts so far, as bytes. */
  #end: readonly number[] = []

  /** Adds the text that `embedStatic768` was called with last. */
  addLast(): void {
    for (let i = 0; i < STATIC768_DIMENSIONS; i++) this.#counts[i]! += counts[i]!
    const before = this.#end.length
    const seam = [...this.#end, ...buffer.subarray(0, Math.min(2, bufferLength))]
    // The windows of three bytes that reach from the texts before into this one.
    for (let i = Math.max(2, before); i < Math.min(seam.length, before + 2); i++)
      this.#counts[pairBucket((seam[i - 2]! << 8) | seam[i - 1]!) ^ seam[i]!]! += TRIGRAM_WEIGHT
    this.#end = [...this.#end, ...buffer.subarray(Math.max(0, bufferLength - 2), bufferLength)].slice(-2)
  }

  /** Writes what `embedStatic768` writes for all texts together, and forgets them. */
  take(out: Float32Array, offset: number): void {
    writeUnit(this.#counts, out, offset)
    this.#counts.fill(0)
    this.#end = []
  }
}

const hash = new Fnv()
const stopWords = new Set(STOP_WORDS.split(" ").map((word) => hashKey(word)))

const OTHER = 0
const LOWER = 1
const UPPER = 2
const DIGIT = 3
/** The kind of each ASCII character. */
const kinds = new Uint8Array(128)
kinds.fill(DIGIT, 48, 58)
kinds.fill(UPPER, 65, 91)
kinds.fill(LOWER, 97, 123)

/**
 * Counts runs of ASCII letters and digits. A run is split before a capital if a small letter is directly before or
 * after the capital.
 */
function countTokens(text: string): void {
  let length = 0
  let previous = OTHER
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i)
    const kind = char < 128 ? kinds[char]! : OTHER
    if (length > 0 && endsToken(previous, kind, text, i)) {
      countToken(length)
      length = 0
    }
    if (kind !== OTHER) {
      if (length === 0) hash.reset()
      hash.add(kind === UPPER ? char + 32 : char)
      length++
    }
    previous = kind
  }
  if (length > 0) countToken(length)
}

function endsToken(previous: number, kind: number, text: string, at: number): boolean {
  if (kind !== UPPER) return kind === OTHER
  if (previous === LOWER) return true
  const next = at + 1 < text.length ? text.charCodeAt(at + 1) : 0
  return next < 128 && kinds[next] === LOWER
}

function countToken(length: number): void {
  if (length <= MAX_STOP_WORD_LENGTH && stopWords.has(currentKey())) return
  const bucket = hash.bucket()
  counts[bucket] = counts[bucket]! + TOKEN_WEIGHT
}

/**
 * 53 bits of the 64-bit hash. This many fit into a number, and suffice to distinguish twenty stop words from all other
 * words.
 */
function currentKey(): number {
  return (hash.low >>> 0) + (hash.high & 0x1f_ffff) * 0x1_0000_0000
}

function hashKey(word: string): number {
  hash.reset()
  for (let i = 0; i < word.length; i++) hash.add(word.charCodeAt(i))
  return currentKey()
}

// For a text of this many bytes, building the table of all pairs takes as long as hashing the pairs of the text.
const TABLE_PAYS_BYTES = 60_000
let hashedBytes = 0

function countTrigrams(text: string): void {
  const { bytes, length } = foldedBytes(text)
  hashedBytes += length
  const buckets = hashedBytes > TABLE_PAYS_BYTES ? pairBuckets() : null
  bufferLength = length
  for (let i = 2; i < length; i++) {
    const pair = (bytes[i - 2]! << 8) | bytes[i - 1]!
    const bucket = (buckets === null ? pairBucket(pair) : buckets[pair]!) ^ bytes[i]!
    counts[bucket] = counts[bucket]! + TRIGRAM_WEIGHT
  }
}
