/** How a text ends its lines; a text of one line says nothing, so "\n". */
export function lineEndOf(text: string): "\n" | "\r\n" {
  const windows = text.split("\r\n").length - 1
  const all = text.split("\n").length - 1
  return windows * 2 > all ? "\r\n" : "\n"
}

/** The white space at the beginning of the line that an offset is on. */
export function indentAt(text: string, offset: number): string {
  const start = Math.max(text.lastIndexOf("\n", offset - 1), text.lastIndexOf("\r", offset - 1)) + 1
  return /^[ \t]*/.exec(text.slice(start, offset))![0]
}

/** Whether nothing but white space stands before an offset on its line. */
export function beginsLine(text: string, offset: number): boolean {
  return indentAt(text, offset).length === offset - lineStart(text, offset)
}

/** What this text indents by: the step of its first line that is indented at all. */
export function indentUnit(text: string): string {
  const first = /^([ \t]+)\S/m.exec(text)?.[1]
  if (first === undefined) return "  "
  return first.startsWith("\t") ? "\t" : first.replaceAll("\t", "")
}

function lineStart(text: string, offset: number): number {
  return Math.max(text.lastIndexOf("\n", offset - 1), text.lastIndexOf("\r", offset - 1)) + 1
}
