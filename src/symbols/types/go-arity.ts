const OPENING = /[([{]/
const CLOSING = /[)\]}]/

/**
 * The numbers of parameters and results of a Go method, as "2:1"; null if its signature is incomplete. Methods of one
 * name with different numbers cannot implement each other.
 */
export function goArity(signature: string, name: string): string | null {
  const start = signature.indexOf(`${name}(`)
  if (start < 0) return null
  const parameters = listFrom(signature, start + name.length)
  if (parameters === null) return null
  const rest = signature.slice(parameters.end).trim()
  if (rest === "") return `${parameters.length}:0`
  if (!rest.startsWith("(")) return `${parameters.length}:1`
  const results = listFrom(rest, 0)
  return results === null ? null : `${parameters.length}:${results.length}`
}

/** The number of items in the brackets that open at an offset, and the offset after them; null if they do not close. */
function listFrom(text: string, open: number): { readonly length: number; readonly end: number } | null {
  let depth = 0
  let length = 0
  let isItem = false
  for (let at = open; at < text.length; at++) {
    const char = text[at]!
    if (CLOSING.test(char) && --depth === 0) return { length: length + (isItem ? 1 : 0), end: at + 1 }
    if (char === "," && depth === 1) {
      length++
      isItem = false
    } else if (depth > 0 && char.trim() !== "") isItem = true
    if (OPENING.test(char)) depth++
  }
  return null
}
