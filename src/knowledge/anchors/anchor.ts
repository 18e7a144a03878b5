import { findCredential } from "../credentials.ts"
import type { EntrySource } from "../entry.ts"
import { CONTEXT_LINES, type LineRange, MAX_LINES } from "./kept-anchor.ts"
import { hashOfLines, indexFrom, keptText, type Lines } from "./lines.ts"

const MAX_CHARS = 4000

type Base = Pick<EntrySource, "path" | "symbol" | "commit">

/** Lines of a file as a source keeps them, and those around. None of them may be blank at its ends. */
export function anchoredAt(
  base: Base,
  file: Lines,
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

/** A whole file: its hash, and the beginning of its text. */
export function anchoredWhole(base: Base, file: Lines): EntrySource {
  const text = keptText(file.raw, MAX_LINES, MAX_CHARS)
  const hash = hashOfLines(file.texts)
  return { ...base, startLine: null, endLine: null, hash, text: mayBeKept(text) ? text : null }
}

/** What looks like a credential is not copied into a store that is exported and shared: its hash has to do. */
function mayBeKept(text: string): boolean {
  return findCredential(text) === null
}

/** The range without blank lines at its ends; of nothing but blank lines, the next line that says something. */
export function trimmedRange(file: Lines, range: LineRange): LineRange | null {
  const from = indexFrom(file, range.startLine)
  const to = indexFrom(file, range.endLine + 1) - 1
  if (from <= to) return { startLine: file.numbers[from]!, endLine: file.numbers[to]! }
  const next = file.numbers[from] ?? file.numbers.at(-1)
  return next === undefined ? null : { startLine: next, endLine: next }
}
