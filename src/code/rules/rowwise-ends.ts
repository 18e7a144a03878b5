import { indentOf, type TextLines } from "../text-lines.ts"
import type { Candidate } from "./candidates.ts"

/** Rows at the indentation of what they close or go on with. */
const CLOSES = /^(?:[)\]}]|end\b|fi\b|done\b|esac\b)/i
const GOES_ON =
  /^(?:[{(]|begin\b|is\b|as\b|do\b|then\b|else|elsif\b|elif\b|rescue\b|ensure\b|catch\b|finally\b|except\b)/i

/** Deeper nesting is hostile; what is open below ends with it. */
const MAX_OPEN = 40

/** Ends of those that end by row (indent, section, RegExp), as offsets; -1 for all others and where nothing ends it. */
export function rowwiseEnds(candidates: readonly Candidate[], lines: TextLines, code: string): Int32Array {
  const ends = new Int32Array(candidates.length).fill(-1)
  const open: number[] = []
  let next = 0
  let lastEnd = 0
  for (let row = 0; row < lines.count; row++) {
    const indent = codeIndent(row, lines, code)
    if (indent < 0) continue
    const here = candidates[next]?.row === row ? next++ : null
    const end = lines.starts[row + 1]!
    closeOpen(
      { candidates, open, here, indent, row: rowText(row, indent, lines, code) },
      { end, lastEnd, ends },
    )
    if (here !== null && endsByRow(candidates[here]!) && open.length < MAX_OPEN) open.push(here)
    lastEnd = end
  }
  // The row that would have ended it was never met: it ends where the next one begins.
  const atEnd = open.filter((at) => !(candidates[at]!.rule.extent instanceof RegExp))
  for (const at of atEnd) ends[at] = lastEnd
  return ends
}

function closeOpen(
  state: State,
  { end, lastEnd, ends }: { end: number; lastEnd: number; ends: Int32Array },
): void {
  const closed = firstClosed(state)
  if (!closed) return
  for (const at of state.open.splice(closed.from)) ends[at] = closed.isInclusive ? end : lastEnd
}

function rowText(row: number, indent: number, { starts }: TextLines, code: string): string {
  const start = starts[row]! + indent
  return code.slice(start, Math.min(starts[row + 1]!, start + MAX_ROW_CHARS))
}

/** What a row is told by. */
const MAX_ROW_CHARS = 200

/** -1 for a row that is blank, or begins inside a comment or a string. */
function codeIndent(row: number, lines: TextLines, code: string): number {
  const indent = indentOf(lines, row)
  const at = lines.starts[row]! + indent
  return indent >= 0 && code[at] === lines.text[at] ? indent : -1
}

type State = {
  readonly candidates: readonly Candidate[]
  readonly open: number[]
  /** The candidate that begins on this row. */
  readonly here: number | null
  readonly indent: number
  readonly row: string
}

function endsByRow({ rule: { extent } }: Candidate): boolean {
  return extent === "indent" || extent === "block" || extent === "section" || extent instanceof RegExp
}

/** The outermost of those open that this row ends. */
function firstClosed(state: State): { from: number; isInclusive: boolean } | null {
  for (const [from, at] of state.open.entries()) {
    const isInclusive = closes(state.candidates[at]!, state, !hasBlock(state, from + 1))
    if (isInclusive !== null) return { from, isInclusive }
  }
  return null
}

/** One of those inside has an ending row of its own to come. */
function hasBlock({ open, candidates }: State, from: number): boolean {
  return open.slice(from).some((at) => candidates[at]!.rule.extent instanceof RegExp)
}

/** Null: it goes on; else whether the row still belongs to it. */
function closes({ rule, indent }: Candidate, state: State, isInnermost: boolean): boolean | null {
  if (rule.extent === "section") return isNextSection(rule.level, state) ? false : null
  if (rule.extent instanceof RegExp) {
    return isInnermost && state.indent <= indent && rule.extent.test(state.row) ? true : null
  }
  if (state.indent > indent) return null
  if (state.indent < indent) return false
  if (CLOSES.test(state.row)) return true
  return GOES_ON.test(state.row) ? null : false
}

function isNextSection(level: number | undefined, { here, candidates }: State): boolean {
  const next = here === null ? null : candidates[here]!.rule
  return next?.extent === "section" && (next.level ?? 1) <= (level ?? 1)
}
