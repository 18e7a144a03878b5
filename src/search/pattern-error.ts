import { AmanError } from "../base/errors.ts"

/** What RE2 says of a pattern that it does not understand. */
export type PatternFault = { readonly error: string; readonly input: string | null }

/** USAGE, with what is wrong, where, and what to write instead. */
export function patternError(pattern: string, { error, input }: PatternFault): AmanError {
  const at = positionOf(pattern, error, input)
  const where = at === null ? "" : ` at character ${at + 1}`
  const part = input === null || input === pattern ? "" : `: ${shortened(input)}`
  return new AmanError("USAGE", `not a regular expression: ${error}${where}${part}`, {
    hint: hintFor(error, input),
  })
}

function hintFor(error: string, input: string | null): string {
  if (/^\(\?<?[=!]/.test(input ?? "")) {
    return "there is no lookahead or lookbehind: they cannot be matched in bounded time; filter the lines afterwards"
  }
  if (error.includes("escape") && /^\\[1-9]/.test(input ?? "")) {
    return "there are no backreferences: they cannot be matched in bounded time"
  }
  return "escape the character with a backslash, or search for exact text (on the command line: -F)"
}

/** RE2 names the part, not the place: the end of the pattern where it gave up, or what stands there. */
function positionOf(pattern: string, error: string, input: string | null): number | null {
  if (error.includes("missing closing )")) return unclosed(pattern)
  if (error.includes("unexpected )")) return unopened(pattern)
  if (input === null || input === "") return pattern.endsWith("\\") ? pattern.length - 1 : null
  const at = pattern.indexOf(input)
  return at < 0 ? null : at
}

function unclosed(pattern: string): number | null {
  return groupsOf(pattern).open.at(-1) ?? null
}

function unopened(pattern: string): number | null {
  return groupsOf(pattern).unopened
}

function groupsOf(pattern: string): { open: number[]; unopened: number | null } {
  const open: number[] = []
  for (const { 0: piece, index } of pattern.matchAll(/\\.|\[\^?\]?(?:\\.|[^\]\\])*\]?|[()]/gsu)) {
    if (piece === "(") open.push(index)
    if (piece === ")" && open.pop() === undefined) return { open, unopened: index }
  }
  return { open, unopened: null }
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
