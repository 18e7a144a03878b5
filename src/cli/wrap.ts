// Longer lines are hard to read, however wide the terminal.
const WIDEST = 100

/** Text broken between words so that it fits the columns; every line but the first begins with the indent. */
export function wrap(text: string, columns: number, indent = 0): string {
  const width = Math.max(20, Math.min(columns, WIDEST) - indent)
  return Bun.wrapAnsi(text, width, { trim: true }).replaceAll("\n", `\n${" ".repeat(indent)}`)
}
