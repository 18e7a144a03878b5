/**
 * Text of files, their names and what people wrote, as it may stand within a line of a page: white space in one, and no
 * sign that moves a cursor, hides text or turns its direction.
 */
export function oneLine(text: string, most: number = Number.POSITIVE_INFINITY): string {
  const line = text.replace(/\s+/gu, " ").replace(UNSEEN, "\u{fffd}").trim()
  return line.length <= most ? line : `${cutAt(line, most - 1)}…`
}

const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]|\p{Cs}/gu

/** Never between the halves of a surrogate pair. */
export function cutAt(text: string, most: number): string {
  const isHigh = /[\ud800-\udbff]/.test(text.charAt(most - 1))
  return text.slice(0, Math.max(0, isHigh ? most - 1 : most))
}
