/** What two spellings of one name have in common: without case, with one form of every character and space. */
export function nameKey(name: string): string {
  return foldCase(tidyName(name))
}

/** A name as it is kept: one form of every character, no needless spaces. */
export function tidyName(name: string): string {
  // Most are; asking is cheaper than doing.
  if (TIDY.test(name)) return name
  return name.normalize("NFKC").replace(SPACES, " ").trim()
}

export function foldCase(text: string): string {
  // A word is the same word with its last letter in the middle of a longer one.
  return text.toLowerCase().replaceAll("ς", "σ")
}

const TIDY = /^[!-~]+(?: [!-~]+)*$/
const SPACES = /[\s\p{Cf}]+/gu
