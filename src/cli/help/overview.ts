import type { Example } from "../command.ts"

/** Description of the program for help and manual. */
export const DESCRIPTION =
  "Code search and memory in one binary, for people and for agents. Nothing leaves this machine."

export const EXIT_CODES = {
  0: "done",
  1: "nothing found",
  2: "wrong usage",
  3: "failed",
  4: "only planned: nobody agreed (setup)",
  130: "interrupted",
} as const

export const EXAMPLES: readonly Example[] = [
  { line: "aman search where are retries limited", note: "indexes first if need be, then answers" },
  { line: "aman search parseConfig --limit 5 --lang go", note: "a name, in one language" },
  { line: "aman read src/main.ts:10-40", note: "these lines of a file" },
  { line: "aman remember Releases are cut on Tuesdays --topic release", note: "for every later session" },
  { line: "aman recall when are releases cut", note: "what is known about it" },
  { line: "aman serve --root ~/work/shop", note: "what an MCP client starts" },
]
