const DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
const BASE = 32
const RANDOM_DIGITS = 10
/** 50 bits are ten digits. */
const RANDOM_SPAN = 2 ** 50

/**
 * Ids of 20 characters in Crockford's base 32: ten of time (48 bits, milliseconds), ten of chance (50 bits). Those of
 * one maker rise strictly, within a millisecond and when the clock is set back too.
 */
export function createIds(now: () => number): () => string {
  let time = -1
  let chance = 0
  return () => {
    const current = Math.floor(now())
    if (current > time) {
      time = current
      // Half of the span is left to count up in.
      chance = Math.floor(random() * (RANDOM_SPAN / 2))
    } else chance++
    return digits(time, RANDOM_DIGITS) + digits(chance, RANDOM_DIGITS)
  }
}

/** The same id for the same parts on every machine: what two stores make of one thing is one thing. */
export function idOf(...parts: readonly (string | null)[]): string {
  const bytes = new Bun.CryptoHasher("sha256").update(JSON.stringify(parts)).digest()
  return Array.from(bytes.subarray(0, 2 * RANDOM_DIGITS), (byte) => DIGITS[byte % BASE]).join("")
}

/** The form in which an id is stored: people may write it in capitals. */
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

/** Of the system's chance, not of Math.random: two processes that start together must not agree. */
function random(): number {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2)) as unknown as [number, number]
  return (high * 2 ** 21 + (low >>> 11)) / 2 ** 53
}
