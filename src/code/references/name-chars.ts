/** Offset of the end of the run of name characters that begins at `start`. */
export function codesEnd(text: string, start: number, hasDollars: boolean): number {
  let end = start + 1
  while (end < text.length && isNameCode(text.charCodeAt(end), hasDollars)) end++
  return end
}

/** Languages in which "$" counts as a letter, and "#" may begin a name. */
export const DOLLARS: ReadonlySet<string> = new Set([
  "javascript",
  "typescript",
  "tsx",
  "vue",
  "svelte",
  "html",
])

/** Languages in which a "-" between a name and a letter is part of the name: Get-Order, shop-rate. */
export const HYPHENS: ReadonlySet<string> = new Set(["clojure", "emacs-lisp", "fish", "nix", "powershell"])

/** True for letters, digits, "_" and every character beyond ASCII. */
export function isNameCode(code: number, hasDollars: boolean): boolean {
  return code > 127 || KINDS[code] === NAME || (hasDollars && code === 36)
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

export function isOpening(code: number): boolean {
  return KINDS[code] === OPENING
}

export function isClosing(code: number): boolean {
  return KINDS[code] === CLOSING
}

const [NAME, OPENING, CLOSING] = [1, 2, 3]
/**
 * Kind of each ASCII character. This is a table, because every character of every file is looked up, and comparisons
 * are slower.
 */
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code)
  if (/\w/.test(char)) return NAME
  if ("([{".includes(char)) return OPENING
  return ")]}".includes(char) ? CLOSING : 0
})

export function backOverSpace(text: string, from: number): number {
  let at = from
  while (at > 0 && text.charCodeAt(at - 1) <= 32) at--
  return at
}
