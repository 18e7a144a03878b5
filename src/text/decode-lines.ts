import { isUtf8 } from "node:buffer"
import { decodeText, SNIFFED_BYTES } from "./decode.ts"
import { lineRange } from "./line-range.ts"

/** Counted from 1, the last one included. */
export type LineRange = { readonly first: number; readonly last: number }

/**
 * What `lineRange` gives of what `decodeText` makes of a file, without making a text of all of it for the sake of a few
 * lines: a hundred kilobytes for each file that an answer shows. Null for what is binary.
 */
export function decodeLines(bytes: Uint8Array, { first, last }: LineRange): string | null {
  if (!isPlain(bytes)) {
    const decoded = decodeText(bytes)
    return decoded === null ? null : lineRange(decoded.text, first, last)
  }
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  const start = startOfLine(bytes, hasMark ? 3 : 0, first)
  if (start === null || last < first) return ""
  const end = startOfLine(bytes, start, last - first + 2)
  const lines = UTF8.decode(bytes.subarray(start, end ?? bytes.length)).replaceAll("\r\n", "\n")
  return end === null ? lines : lines.slice(0, -1)
}

/** Of UTF-8 whose lines end with a line feed, whatever is before it. */
function isPlain(bytes: Uint8Array): boolean {
  if (!isUtf8(bytes) || bytes.subarray(0, SNIFFED_BYTES).includes(0)) return false
  return !bytes.includes(CARRIAGE_RETURN) || bytes.includes(LINE_FEED)
}

const LINE_FEED = 10
const CARRIAGE_RETURN = 13
// A mark is one at the start of a file only.
const UTF8 = new TextDecoder("utf-8", { ignoreBOM: true })

/** Where the n-th line begins, the first of which does at `from`; null where there are fewer. */
function startOfLine(bytes: Uint8Array, from: number, line: number): number | null {
  let start = from
  for (let at = 1; at < line; at++) {
    const end = bytes.indexOf(LINE_FEED, start)
    if (end < 0) return null
    start = end + 1
  }
  return start
}
