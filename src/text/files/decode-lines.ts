import { isUtf8 } from "node:buffer"
import { decodeText, SNIFFED_BYTES } from "./decode.ts"

/** A range of lines, counted from 1; `last` is included. */
export type LineRange = { readonly first: number; readonly last: number }

/**
 * Returns the same lines as `lineRange` for the text that `decodeText` returns, but does not decode the whole file for
 * a few lines. This saves a hundred kilobytes of memory for each file that an answer shows. The ranges are in ascending
 * order of their first lines. Null for a binary file.
 */
export function decodeLines(bytes: Uint8Array, ranges: readonly LineRange[]): string[] | null {
  if (!isPlain(bytes)) {
    const decoded = decodeText(bytes)
    return decoded && ranges.map(({ first, last }) => lineRange(decoded.text, first, last))
  }
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  let line = 1
  let start: number | null = hasMark ? 3 : 0
  return ranges.map(({ first, last }) => {
    if (start !== null) start = startOfLine(bytes, start, first - line + 1)
    line = first
    if (start === null || last < first) return ""
    const end = startOfLine(bytes, start, last - first + 2)
    const lines = UTF8.decode(bytes.subarray(start, end ?? bytes.length)).replaceAll("\r\n", "\n")
    return end === null ? lines : lines.slice(0, -1)
  })
}

/** True for bytes in UTF-8 in which every line ends with a line feed, with or without a carriage return before it. */
function isPlain(bytes: Uint8Array): boolean {
  if (!isUtf8(bytes) || bytes.subarray(0, SNIFFED_BYTES).includes(0)) return false
  return !bytes.includes(CARRIAGE_RETURN) || bytes.includes(LINE_FEED)
}

const LINE_FEED = 10
const CARRIAGE_RETURN = 13
// The decoder keeps a byte-order mark, because only one at the start of a file must be removed.
const UTF8 = new TextDecoder("utf-8", { ignoreBOM: true })

/** Offset of the start of line `line`, counted from 1 at offset `from`; null if there are fewer lines. */
function startOfLine(bytes: Uint8Array, from: number, line: number): number | null {
  let start = from
  for (let at = 1; at < line; at++) {
    const end = bytes.indexOf(LINE_FEED, start)
    if (end < 0) return null
    start = end + 1
  }
  return start
}

/**
 * The lines `first` to `last` of a text, counted from 1. The text is not split, because that would create a string for
 * each line.
 */
export function lineRange(text: string, first: number, last: number): string {
  let start = 0
  for (let line = 1; line < first; line++) {
    const end = text.indexOf("\n", start)
    if (end < 0) return ""
    start = end + 1
  }
  let end = start - 1
  for (let line = first; line <= last; line++) {
    end = text.indexOf("\n", end + 1)
    if (end < 0) return text.slice(start)
  }
  return last < first ? "" : text.slice(start, end)
}
