import { hashOf } from "../../text/read-source.ts"

/** The lines of a text that are not blank, as they are compared: what formatters and editors change does not count. */
export type Lines = {
  /** As they stand in the file. */
  readonly raw: readonly string[]
  /** White space around a line is gone, and within it one space. */
  readonly texts: readonly string[]
  /** 1-based line of each of `texts`. */
  readonly numbers: readonly number[]
}

/** A longer line is known by its beginning and a hash. */
const MAX_LINE_CHARS = 400

export function linesOf(text: string): Lines {
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

/** The lines of a text that was kept: none of them is shortened again. */
export function keptLines(text: string): string[] {
  return text.split("\n").map(collapsed).filter(Boolean)
}

export function hashOfLines(texts: readonly string[]): string {
  return hashOf(texts.join("\n"))
}

/** First of `texts` from this line on; their number where there is none. */
export function indexFrom({ numbers }: Lines, line: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (numbers[middle]! < line) low = middle + 1
    else high = middle
  }
  return low
}

/** What is kept of lines, with their indentation: at most `maxLines` and `maxChars`, whole lines, at least one. */
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

/** Letters and digits: how much a text says. A bracket says nothing. */
export function telling(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0), 0)
}

function keptLine(line: string): string {
  const text = collapsed(line)
  if (text.length <= MAX_LINE_CHARS) return text
  return `${text.slice(0, MAX_LINE_CHARS)}… (${text.length} characters, ${hashOf(text)})`
}

/** Whether a line, as it is compared, is the beginning of a longer one. */
export function isCutLine(text: string): boolean {
  return text.length > MAX_LINE_CHARS && / characters, \S+\)$/.test(text)
}

function collapsed(line: string): string {
  return line.trim().replace(/\s+/g, " ")
}
