/**
 * Text of files and their names as it may reach a terminal: without escape sequences and other
 * control characters, which could move the cursor, change the title or hide text, and without the
 * bidirectional overrides of "Trojan Source" (CVE-2021-42574). Tabs and line breaks stay.
 */
export function printable(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, "\u{fffd}")
}

/** The same for what must stay on one line: a path, a name, a message. */
export function printableLine(text: string): string {
  return printable(text).replace(/[\n\t\u2028\u2029]/g, " ")
}
