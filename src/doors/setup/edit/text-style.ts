/** Line ending of a text; "\n" for a text of one line. */
export function lineEndOf(text: string): "\n" | "\r\n" {
  const windows = text.split("\r\n").length - 1
  const all = text.split("\n").length - 1
  return windows * 2 > all ? "\r\n" : "\n"
}

/** Indentation of the line at an offset. */
export function indentAt(text: string, offset: number): string {
  const start = Math.max(text.lastIndexOf("\n", offset - 1), text.lastIndexOf("\r", offset - 1)) + 1
  return /^[ \t]*/.exec(text.slice(start, offset))![0]
}

/** True if only white space precedes the offset on its line. */
export function beginsLine(text: string, offset: number): boolean {
  return indentAt(text, offset).length === offset - lineStart(text, offset)
}

/** Indentation unit of a text: that of its first indented line. */
export function indentUnit(text: string): string {
  const first = /^([ \t]+)\S/m.exec(text)?.[1]
  if (first === undefined) return "  "
  return first.startsWith("\t") ? "\t" : first.replaceAll("\t", "")
}

function lineStart(text: string, offset: number): number {
  return Math.max(text.lastIndexOf("\n", offset - 1), text.lastIndexOf("\r", offset - 1)) + 1
}

/** Error for a file that cannot be changed: the reason and the line. A message for the user, not a bug. */
export class NotEditable extends Error {
  readonly line: number | null

  constructor(message: string, line: number | null = null) {
    super(message)
    this.name = "NotEditable"
    this.line = line
  }
}

/**
 * Appends aman's lines after a blank line. If the text has no line end at its end, none is added there, so that
 * `cutBlock` can restore the text.
 */
export function appendBlock(text: string, block: string, lineEnd: string): string {
  if (text === "") return block + lineEnd
  return text.endsWith("\n") ? text + lineEnd + block + lineEnd : text + lineEnd + lineEnd + block
}

/** Removes the block that `appendBlock` added, even if text was written after it. */
export function cutBlock(text: string, from: number, to: number): string {
  const before = text.slice(0, from)
  const after = text.slice(to)
  if (after === "") return before.replace(/(?:\r?\n){1,2}$/, "")
  return before.replace(/(?<=^|\n)\r?\n$/, "") + after.replace(/^\r?\n/, "")
}
