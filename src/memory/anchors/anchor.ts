import { findCredential } from "../../text/secrets/credentials.ts"
import type { EntrySource } from "../entries/entry.ts"
import { hashOfLines, indexFrom, keptText, type NormalizedLines } from "./normalized-lines.ts"
import { CONTEXT_LINES, type LineRange, MAX_LINES } from "./stored-anchor.ts"

const MAX_CHARS = 4000

type AnchorTarget = Pick<EntrySource, "path" | "symbol" | "commit">

/**
 * Returns a source anchored at these lines. It also stores some lines before and after them. The range may not begin
 * or end with a blank line.
 */
export function anchoredAt(
  base: AnchorTarget,
  file: NormalizedLines,
  { startLine, endLine }: LineRange,
  within: string | null,
): EntrySource {
  const from = indexFrom(file, startLine)
  const to = indexFrom(file, endLine + 1)
  const hash = hashOfLines(file.texts.slice(from, to))
  const text = keptText(file.raw.slice(startLine - 1, endLine), MAX_LINES, MAX_CHARS)
  const before = file.texts.slice(Math.max(0, from - CONTEXT_LINES), from)
  const after = file.texts.slice(to, to + CONTEXT_LINES)
  const kept = mayBeKept([...before, text, ...after].join("\n"))
    ? { text, context: { before, after, within } }
    : { text: null, context: { before: [], after: [], within } }
  return { ...base, startLine, endLine, hash, ...kept }
}

/** Returns a source anchored at a whole file: its hash and, if it may be stored, the beginning of its text. */
export function anchoredWhole(base: AnchorTarget, file: NormalizedLines): EntrySource {
  const text = keptText(file.raw, MAX_LINES, MAX_CHARS)
  const hash = hashOfLines(file.texts)
  return { ...base, startLine: null, endLine: null, hash, text: mayBeKept(text) ? text : null }
}

/**
 * True when the text of the lines may be stored. It is not stored if it looks like it contains a credential, because
 * the memory is exported and shared; then only its hash is kept.
 */
function mayBeKept(text: string): boolean {
  return findCredential(text) === null
}

/**
 * The range without blank lines at its ends. For a range of blank lines only, the next non-blank line, or the file's
 * last one; null for a file of blank lines only.
 */
export function trimmedRange(file: NormalizedLines, range: LineRange): LineRange | null {
  const from = indexFrom(file, range.startLine)
  const to = indexFrom(file, range.endLine + 1) - 1
  if (from <= to) return { startLine: file.numbers[from]!, endLine: file.numbers[to]! }
  const next = file.numbers[from] ?? file.numbers.at(-1)
  return next === undefined ? null : { startLine: next, endLine: next }
}
