import { firstAtLeast } from "../../base/index.ts"
import { contentHash, findCredential } from "../../text/index.ts"
import type { EntrySource } from "../entries/entry.ts"

/** The non-blank lines of a text, normalised for comparison so that changes of formatters and editors do not count. */
export type NormalizedLines = {
  /** All lines of the text, unchanged. */
  readonly raw: readonly string[]
  /** Non-blank lines, trimmed, with runs of white space replaced by one space. */
  readonly texts: readonly string[]
  /** The 1-based line number of each of `texts`. */
  readonly numbers: readonly number[]
}

/** A longer line is represented by its beginning and a hash. */
const MAX_LINE_CHARS = 400

export function normalizedLines(text: string): NormalizedLines {
  const raw = text.split("\n")
  if (raw.length > 1 && raw.at(-1) === "") raw.pop()
  const texts: string[] = []
  const numbers: number[] = []
  for (const [at, line] of raw.entries()) {
    const compared = keptLine(line)
    if (compared === "") continue
    texts.push(compared)
    numbers.push(at + 1)
  }
  return { raw, texts, numbers }
}

/** The lines of a text from the store. Its long lines are already shortened and stay as they are. */
export function keptLines(text: string): string[] {
  return text.split("\n").map(collapsed).filter(Boolean)
}

export function hashOfLines(texts: readonly string[]): string {
  return contentHash(texts.join("\n"))
}

/** Index of the first of `texts` at or after this line; their count when there is none. */
export function indexFrom({ numbers }: NormalizedLines, line: number): number {
  return firstAtLeast(numbers, line)
}

/** The text stored for lines, with their indentation: at most `maxLines` and `maxChars`, in whole lines, at least one. */
function keptText(raw: readonly string[], maxLines: number, maxChars: number): string {
  const kept: string[] = []
  let chars = 0
  for (const line of raw.slice(0, maxLines)) {
    const next = line.length > MAX_LINE_CHARS ? keptLine(line) : line.trimEnd()
    chars += next.length + 1
    if (kept.length > 0 && chars > maxChars) break
    kept.push(next)
  }
  return kept.join("\n")
}

/** Number of letters and digits, as a measure of content; brackets have none. */
export function letterCount(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0), 0)
}

function keptLine(line: string): string {
  const text = collapsed(line)
  if (text.length <= MAX_LINE_CHARS) return text
  return `${text.slice(0, MAX_LINE_CHARS)}… (${text.length} characters, ${contentHash(text)})`
}

/** True when a normalised line is the shortened form of a longer one. */
export function isCutLine(text: string): boolean {
  return text.length > MAX_LINE_CHARS && / characters, \S+\)$/.test(text)
}

function collapsed(line: string): string {
  return line.trim().replace(/\s+/g, " ")
}

/** Maximum edited lines for a diff; texts that differ more are shown in full. */
const MAX_EDITS = 500

const DIFF_CONTEXT = 2

/**
 * A diff of two texts: removed lines begin with "-", added lines with "+", a few lines around them with " "; "…"
 * separates the pieces. Of a long text only the stored beginning is compared.
 */
export async function lineDiff(before: string, now: string): Promise<string> {
  const { structuredPatch } = await import("diff")
  const patch = structuredPatch("", "", `${before}\n`, `${now}\n`, "", "", {
    context: DIFF_CONTEXT,
    ignoreWhitespace: true,
    maxEditLength: MAX_EDITS,
  })
  if (patch === undefined) return [...prefixLines("-", before), ...prefixLines("+", now)].join("\n")
  return patch.hunks.map(({ lines }) => lines.join("\n")).join("\n…\n")
}

function prefixLines(sign: string, text: string): string[] {
  return text.split("\n").map((line) => sign + line)
}

// Max lines stored of a source. A longer source is identified by these lines and the hash of all its lines.
const MAX_LINES = 80
/** Number of lines stored before and after the source's lines, as in a patch. */
const CONTEXT_LINES = 3

export type LineRange = { readonly startLine: number; readonly endLine: number }

/** The stored lines of a source, in the form in which they are searched in the current file. */
export type Anchor = {
  readonly startLine: number
  /** Number of lines from the first to the last, including blank ones. */
  readonly span: number
  /** Empty when only the hash of the lines was kept. */
  readonly lines: readonly string[]
  /** True when `lines` is only the beginning of the source's lines, or empty. */
  readonly isCut: boolean
  readonly hash: string
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/** The anchor of a source; null for a whole file, and for a source whose file was never read. */
export function anchorOf({ startLine, endLine, hash, text, context }: EntrySource): Anchor | null {
  if (hash === null || startLine === null || endLine === null) return null
  const kept = keptLines(text ?? "")
  // A source written by another store may contain more lines than this one keeps.
  const lines = kept.slice(0, MAX_LINES)
  return {
    startLine,
    span: endLine - startLine + 1,
    lines,
    isCut:
      lines.length < kept.length ||
      (text ?? "").split("\n").length < endLine - startLine + 1 ||
      lines.length === 0,
    hash,
    before: context?.before.slice(-CONTEXT_LINES) ?? [],
    after: context?.after.slice(0, CONTEXT_LINES) ?? [],
  }
}

const MAX_CHARS = 4000

export type AnchorTarget = Pick<EntrySource, "path" | "symbol" | "commit">

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
