import type { EntrySource } from "../entries/entry.ts"
import { anchorOf } from "./stored-anchor.ts"
import { hashOfLines, indexFrom, type Lines, telling } from "./lines.ts"
import { agreeing, findExact } from "./locate.ts"

/**
 * Minimum letters and digits of the anchored lines and those around for them not to occur in two files by
 * chance.
 */
const MIN_LETTERS = 30

/** Number of agreeing lines around if the file contains the anchored lines; null if it does not. */
export function scoreOf(source: EntrySource, lines: Lines): number | null {
  const anchor = anchorOf(source)
  if (anchor === null) return lines.texts.length > 0 && hashOfLines(lines.texts) === source.hash ? 0 : null
  if (telling([...anchor.before, ...anchor.lines, ...anchor.after]) < MIN_LETTERS) return null
  const range = findExact(lines, anchor)
  return range === null ? null : agreeing(lines, anchor, indexFrom(lines, range.startLine), range)
}
