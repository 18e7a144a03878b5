import type { UsageExample } from "../command.ts"

/** Description of the program for help and manual. */
export const DESCRIPTION =
  "Code search and memory in one binary, for people and agents. Nothing leaves this machine unless you configure a server."

/** The commands that `aman --help` shows; the others are for programs, administrators and rare cases. */
export const EVERYDAY = [
  "search",
  "grep",
  "symbol",
  "context",
  "remember",
  "recall",
  "setup",
  "ui",
  "status",
  "doctor",
] as const

export const EXIT_CODES = {
  0: "done",
  1: "nothing found, or no such symbol, path, entry or repository",
  2: "wrong usage",
  3: "failed",
  4: "not confirmed, nothing written (setup)",
  130: "interrupted",
} as const

export const EXAMPLES: readonly UsageExample[] = [
  { line: "aman search where are retries limited", note: "indexes first if necessary" },
  { line: "aman search parseConfig --limit 5 --lang go", note: "a name, in one language" },
  { line: "aman read src/main.ts:10-40", note: "lines 10 to 40 of a file" },
  { line: "aman remember Releases are cut on Tuesdays --topic release", note: "kept for later sessions" },
  { line: "aman recall when are releases cut", note: "ask what is known" },
  { line: "aman serve --root ~/work/shop", note: "the command an MCP client starts" },
]
