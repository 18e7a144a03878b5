const DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
const BASE = 32
const RANDOM_DIGITS = 10
/** Number of values of the random part: ten digits in base 32, 50 bits. */
const RANDOM_SPAN = 2 ** 50
/** Max milliseconds since 1970 that ten digits hold. */
const LAST_MS = 2 ** 50 - 1

/**
 * Generator of ids of 20 characters in Crockford's base 32: ten of time (50 bits, milliseconds since 1970),
 * ten random (50 bits). Ids of one generator increase strictly, also within a millisecond and when the clock
 * is set back. A clock before 1970 counts as 1970, one beyond the 50 bits (the year 37648) as LAST_MS.
 */
export function createIds(now: () => number): () => string {
  let time = -1
  let chance = 0
  return () => {
    const current = Math.min(Math.max(Math.floor(now()) || 0, 0), LAST_MS)
    if (current > time) {
      time = current
      // The upper half of the span is left free for counting up.
      chance = Math.floor(random() * (RANDOM_SPAN / 2))
    } else chance++
    return digits(time, RANDOM_DIGITS) + digits(chance, RANDOM_DIGITS)
  }
}

/** The next id in the order of ids; null after the last one. */
export function idAfter(id: string): string | null {
  const rest = id.replace(/z+$/, "")
  if (rest === "") return null
  const next = DIGITS[DIGITS.indexOf(rest.at(-1)!) + 1]
  return rest.slice(0, -1) + next + "0".repeat(id.length - rest.length)
}

/** An id that is the same for the same parts on every machine, so that two stores create one subject, not two. */
export function stableId(...parts: readonly (string | null)[]): string {
  const bytes = new Bun.CryptoHasher("sha256").update(JSON.stringify(parts)).digest()
  return Array.from(bytes.subarray(0, 2 * RANDOM_DIGITS), (byte) => DIGITS[byte % BASE]).join("")
}

/** The form in which an id is stored; people may type it in capitals. */
export function canonicalId(text: string): string {
  return text.trim().toLowerCase()
}

export function isId(text: string): boolean {
  return ID.test(text)
}

const ID = /^[0-9a-hjkmnp-tv-z]{20}$/

function digits(value: number, count: number): string {
  let text = ""
  let rest = value
  for (let i = 0; i < count; i++) {
    text = DIGITS[rest % BASE] + text
    rest = Math.floor(rest / BASE)
  }
  return text
}

/**
 * A random number from 0 to below 1, from the system's source and not Math.random, so that two processes that
 * start together differ.
 */
function random(): number {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2)) as unknown as [number, number]
  return (high * 2 ** 21 + (low >>> 11)) / 2 ** 53
}
