import type { EntrySource } from "../entry.ts"
import { anchorOf } from "./kept-anchor.ts"
import { hashOfLines, indexFrom, type Lines, telling } from "./lines.ts"
import { agreeing, findExact } from "./locate.ts"

/** Letters of the anchored lines and those around, from which on they are not in two files by chance. */
const TELLING = 30

/** How many of the lines around agree, where the anchored ones are there; null where they are not. */
export function scoreOf(source: EntrySource, lines: Lines): number | null {
  const anchor = anchorOf(source)
  if (anchor === null) return lines.texts.length > 0 && hashOfLines(lines.texts) === source.hash ? 0 : null
  if (telling([...anchor.before, ...anchor.lines, ...anchor.after]) < TELLING) return null
  const range = findExact(lines, anchor)
  return range === null ? null : agreeing(lines, anchor, indexFrom(lines, range.startLine), range)
}
