import { firstAtLeast } from "../../base/sorted.ts"
import { contentHash } from "../../text/files/read-source.ts"

/**
 * The non-blank lines of a text, normalised for comparison so that changes of formatters and editors do not
 * count.
 */
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

/**
 * The text stored for lines, with their indentation: at most `maxLines` and `maxChars`, in whole lines, at
 * least one.
 */
export function keptText(raw: readonly string[], maxLines: number, maxChars: number): string {
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

const CONTEXT_LINES = 2

/**
 * A diff of two texts: removed lines begin with "-", added lines with "+", a few lines around them with " "; "…"
 * separates the pieces. Of a long text only the stored beginning is compared.
 */
export async function lineDiff(before: string, now: string): Promise<string> {
  const { structuredPatch } = await import("diff")
  const patch = structuredPatch("", "", `${before}\n`, `${now}\n`, "", "", {
    context: CONTEXT_LINES,
    ignoreWhitespace: true,
    maxEditLength: MAX_EDITS,
  })
  if (patch === undefined) return [...prefixLines("-", before), ...prefixLines("+", now)].join("\n")
  return patch.hunks.map(({ lines }) => lines.join("\n")).join("\n…\n")
}

function prefixLines(sign: string, text: string): string[] {
  return text.split("\n").map((line) => sign + line)
}
