import type { EntrySource } from "../entry.ts"
import { hashOfLines, indexFrom, keptLines, keptText, type Lines } from "./lines.ts"

// A long function is known by its beginning and the hash of all.
const MAX_LINES = 80
const MAX_CHARS = 4000
/** On either side; as a patch has. */
const CONTEXT_LINES = 3

/** What is looked for in a file as it is now. */
export type Anchor = {
  readonly startLine: number
  /** Raw lines from the first to the last. */
  readonly span: number
  readonly lines: readonly string[]
  /** `lines` are the first of more. */
  readonly isCut: boolean
  readonly hash: string
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/** Lines of a file, 1-based and inclusive, as a source keeps them. None of them may be blank at its ends. */
export function anchoredAt(
  source: Pick<EntrySource, "path" | "symbol" | "commit">,
  file: Lines,
  { startLine, endLine }: LineRange,
  within: string | null,
): EntrySource {
  const from = indexFrom(file, startLine)
  const to = indexFrom(file, endLine + 1)
  return {
    path: source.path,
    startLine,
    endLine,
    symbol: source.symbol,
    hash: hashOfLines(file.texts.slice(from, to)),
    text: keptText(file.raw.slice(startLine - 1, endLine), MAX_LINES, MAX_CHARS),
    commit: source.commit,
    context: {
      before: file.texts.slice(Math.max(0, from - CONTEXT_LINES), from),
      after: file.texts.slice(to, to + CONTEXT_LINES),
      within,
    },
  }
}

/** A whole file: its hash, and the beginning of its text. */
export function anchoredWhole(
  source: Pick<EntrySource, "path" | "symbol" | "commit">,
  file: Lines,
): EntrySource {
  return {
    path: source.path,
    startLine: null,
    endLine: null,
    symbol: source.symbol,
    hash: hashOfLines(file.texts),
    text: keptText(file.raw, MAX_LINES, MAX_CHARS),
    commit: source.commit,
  }
}

export type LineRange = { readonly startLine: number; readonly endLine: number }

/** Null for a source that nothing was captured of. */
export function anchorOf({ startLine, endLine, hash, text, context }: EntrySource): Anchor | null {
  if (hash === null || text === null || startLine === null || endLine === null) return null
  const lines = keptLines(text)
  if (lines.length === 0) return null
  return {
    startLine,
    span: endLine - startLine + 1,
    lines,
    isCut: text.split("\n").length < endLine - startLine + 1,
    hash,
    before: context?.before ?? [],
    after: context?.after ?? [],
  }
}

/** The range without blank lines at its ends; of nothing but blank lines, the next line that says something. */
export function trimmedRange(file: Lines, range: LineRange): LineRange | null {
  const from = indexFrom(file, range.startLine)
  const to = indexFrom(file, range.endLine + 1) - 1
  if (from <= to) return { startLine: file.numbers[from]!, endLine: file.numbers[to]! }
  const next = file.numbers[from] ?? file.numbers.at(-1)
  return next === undefined ? null : { startLine: next, endLine: next }
}
