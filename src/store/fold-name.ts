const NOT_A_WORD = /[^\p{L}\p{N}]+/gu
const PLAIN = /^[a-z0-9]*$/

/** A name without case and punctuation; one that is nothing else (an operator) stays as it is. */
export function foldName(name: string): string {
  if (PLAIN.test(name)) return name
  const folded = name.normalize("NFC").toLowerCase().replace(NOT_A_WORD, "")
  return folded === "" ? name : folded
}

/**
 * What a name is called without what qualifies it: Router of Shop.Router, b of a::b; operators and routes stay whole.
 */
export function lastName(name: string): string {
  if (name.startsWith("/")) return name
  const last = name.slice(Math.max(name.lastIndexOf("."), name.lastIndexOf(":"), name.lastIndexOf("#")) + 1)
  return last === "" ? name : last
}
