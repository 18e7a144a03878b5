const NOT_A_WORD = /[^\p{L}\p{N}]+/gu
const PLAIN = /^[a-z0-9]*$/

/**
 * A name in lower case without punctuation. A name that consists of punctuation only (an operator) is returned
 * unchanged.
 */
export function foldName(name: string): string {
  if (PLAIN.test(name)) return name
  const folded = name.normalize("NFC").toLowerCase().replace(NOT_A_WORD, "")
  return folded === "" ? name : folded
}

/**
 * The last part of a qualified name: Router for Shop.Router, b for a::b. Operators and routes are returned
 * unchanged.
 */
export function lastName(name: string): string {
  if (name.startsWith("/")) return name
  const last = name.slice(Math.max(name.lastIndexOf("."), name.lastIndexOf(":"), name.lastIndexOf("#")) + 1)
  return last === "" ? name : last
}
