/**
 * A name as it is stored: trimmed, each run of white space as one space, well-formed Unicode, without NUL
 * characters, because a text column cannot hold either.
 */
export function tidyLabel(text: string): string {
  return text.toWellFormed().replaceAll("\0", "").replace(/\s+/gu, " ").trim()
}

/** A name in the form in which names are compared: case, Unicode composition and spacing do not matter. */
export function comparable(text: string): string {
  // Most names are already in this form, and the test is cheaper than the conversion.
  return (TIDY.test(text) ? text : tidyLabel(text.normalize("NFKC"))).toLowerCase()
}

const TIDY = /^[!-~]+(?: [!-~]+)*$/

/** A key in the form in which keys are one: as `comparable`, also without hyphens. Plurals differ, as http and https do. */
export function looseKey(text: string): string {
  return comparable(text).replace(/[\s_-]+/gu, " ")
}

/** A name in the form in which topics are one: as `looseKey`, also without the ending of plurals. */
export function looseName(text: string): string {
  return looseKey(text).replace(/(?<=\p{L}{3}[^su])s(?!\p{L})/gu, "")
}
