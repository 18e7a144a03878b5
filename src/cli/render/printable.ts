/**
 * Makes file content and names safe for a terminal: replaces escape sequences and other control characters,
 * which could move the cursor, change the title or hide text, and the bidirectional overrides of "Trojan
 * Source" (CVE-2021-42574). Tabs and line breaks stay.
 */
export function printable(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, "\u{fffd}")
}

/** Like `printable`, for text that must stay on one line: a path, a name, a message. */
export function printableLine(text: string): string {
  return printable(text).replace(/[\n\t\u2028\u2029]/g, " ")
}

// Max width of a text, because longer lines are hard to read even on a wide terminal.
const MAX_WIDTH = 100

/** Text broken between words so that it fits the columns; every line but the first begins with the indent. */
export function wrap(text: string, columns: number, indent = 0): string {
  const width = Math.max(20, Math.min(columns, MAX_WIDTH) - indent)
  return Bun.wrapAnsi(text, width, { trim: true }).replaceAll("\n", `\n${" ".repeat(indent)}`)
}
