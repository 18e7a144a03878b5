/**
 * A name as it is kept: without white space around it, inner white space as one blank, and nothing that no column
 * holds.
 */
export function tidyLabel(text: string): string {
  return text.toWellFormed().replaceAll("\0", "").replace(/\s+/gu, " ").trim()
}

/** A name as names are compared: however it is cased, composed and spaced. */
export function comparable(text: string): string {
  // Most are tidy; asking is cheaper than doing.
  return (TIDY.test(text) ? text : tidyLabel(text.normalize("NFKC"))).toLowerCase()
}

const TIDY = /^[!-~]+(?: [!-~]+)*$/
