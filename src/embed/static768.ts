import { BUCKETS, Fnv, pairBucket, pairBuckets } from "./fnv.ts"
import { foldedBytes } from "./folded-bytes.ts"

export const STATIC768_DIMENSIONS = BUCKETS

const TOKEN_WEIGHT = 0.7
const TRIGRAM_WEIGHT = 0.3

const STOP_WORDS =
  "func function def class return import const var let int string bool void true false nil null this self new"
const LONGEST_STOP_WORD = 8

/**
 * The first seed's "static768": hashed words (.7) and hashed three-byte windows (.3), length 1, written to
 * `out` from `offset`. Zeros where the text has no letter and no digit.
 */
export function embedStatic768(text: string, out: Float32Array, offset = 0): void {
  counts.fill(0)
  countTokens(text)
  countTrigrams(text)
  let squares = 0
  for (let i = 0; i < BUCKETS; i++) squares += counts[i]! * counts[i]!
  const scale = squares === 0 ? 0 : 1 / Math.sqrt(squares)
  for (let i = 0; i < BUCKETS; i++) out[offset + i] = counts[i]! * scale
}

// One of each for the thread: a call leaves nothing behind for the collector.
const counts = new Float64Array(BUCKETS)
const hash = new Fnv()
const stopWords = new Set(STOP_WORDS.split(" ").map((word) => keyOf(word)))

const OTHER = 0
const LOWER = 1
const UPPER = 2
const DIGIT = 3
const kinds = new Uint8Array(128)
kinds.fill(DIGIT, 48, 58)
kinds.fill(UPPER, 65, 91)
kinds.fill(LOWER, 97, 123)

/** Runs of ASCII letters and digits, cut before a capital that follows or precedes a small letter. */
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
  if (length <= LONGEST_STOP_WORD && stopWords.has(currentKey())) return
  const bucket = hash.bucket()
  counts[bucket] = counts[bucket]! + TOKEN_WEIGHT
}

/** 53 of the 64 bits: what a number holds, and plenty to tell twenty words from all others. */
function currentKey(): number {
  return (hash.low >>> 0) + (hash.high & 0x1f_ffff) * 0x1_0000_0000
}

function keyOf(word: string): number {
  hash.reset()
  for (let i = 0; i < word.length; i++) hash.add(word.charCodeAt(i))
  return currentKey()
}

// The table of all pairs costs as much as hashing the pairs of so many bytes.
const TABLE_PAYS_BYTES = 60_000
let hashedBytes = 0

function countTrigrams(text: string): void {
  const { bytes, length } = foldedBytes(text)
  hashedBytes += length
  const buckets = hashedBytes > TABLE_PAYS_BYTES ? pairBuckets() : null
  for (let i = 2; i < length; i++) {
    const pair = (bytes[i - 2]! << 8) | bytes[i - 1]!
    const bucket = (buckets === null ? pairBucket(pair) : buckets[pair]!) ^ bytes[i]!
    counts[bucket] = counts[bucket]! + TRIGRAM_WEIGHT
  }
}
