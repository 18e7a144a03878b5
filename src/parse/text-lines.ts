import { lastAtMost } from "../base/index.ts"

/**
 * A text with the offsets at which its lines begin. Rows are 0-based. The text of a row is between starts[row] and
 * starts[row + 1].
 */
export type TextLines = {
  readonly text: string
  readonly starts: Uint32Array
  readonly count: number
}

/**
 * The lines of a text. Only a line feed ends a line, as tree-sitter counts. A last line without one counts, too.
 */
export function textLines(text: string): TextLines {
  const starts: number[] = [0]
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
  if (starts[starts.length - 1] !== text.length) starts.push(text.length)
  return { text, starts: new Uint32Array(starts), count: starts.length - 1 }
}

/** The row that contains the character at `offset`; the last row for the offset at the end of the text. */
export function rowAt({ starts, count }: TextLines, offset: number): number {
  return Math.max(0, lastAtMost(starts, offset, 0, count))
}

/** Number of characters from the start of `startRow` to the end of `endRow`. */
export function charsOf({ starts }: TextLines, startRow: number, endRow: number): number {
  return starts[endRow + 1]! - starts[startRow]!
}

export function isBlankRow(lines: TextLines, row: number): boolean {
  return indentOf(lines, row) < 0
}

/** Number of characters of a row before the first one that is not white space; -1 for a blank row. */
export function indentOf({ text, starts }: TextLines, row: number): number {
  const start = starts[row]!
  const end = starts[row + 1]!
  for (let at = start; at < end; at++) {
    if (!isSpace(text.charCodeAt(at))) return at - start
  }
  return -1
}

export function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0xfeff
}

/**
 * True if the comment is separated by one blank row from the definition that it describes. The first comment of a file
 * describes the file instead.
 */
export function isCommentBeyondBlank(
  lines: TextLines,
  start: number,
  startRow: number,
  nextRow: number,
): boolean {
  return (
    startRow > 0 &&
    lines.text.startsWith("/**", start) &&
    isBlankRow(lines, nextRow - 1) &&
    !isBlankRow(lines, nextRow - 2)
  )
}
