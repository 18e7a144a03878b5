import { classifyTokens, type Tokens } from "../../../src/parse/index.ts"

/** A line as the page shows it: `spans` has start, length and kind of each coloured token (TOKEN_KINDS). */
export type CodeLine = {
  readonly line: number
  readonly text: string
  readonly spans: readonly number[]
  /** Number of characters that were cut off at the end of the line; absent: none. */
  readonly cut?: number
  /** Start and length of each word to mark; absent: none. */
  readonly marks?: readonly number[]
}

/** The lines of a text with their tokens; `first` is the number of its first line. Long lines are cut. */
export async function codeLines(language: string, text: string, first: number): Promise<CodeLine[]> {
  return splitIntoLines(text, await classifyTokens(language, text), first)
}

/** Splits a text and its tokens at the ends of lines. */
export function splitIntoLines(text: string, tokens: Tokens, first: number): CodeLine[] {
  let offset = 0
  let at = 0
  return text.split("\n").map((line, nth): CodeLine => {
    const end = offset + line.length
    const shown = line.slice(0, 400)
    const spans: number[] = []
    while (at < tokens.length && tokens[at]! < end) {
      const [start, length, kind] = [tokens[at]!, tokens[at + 1]!, tokens[at + 2]!]
      const from = Math.max(start, offset) - offset
      const to = Math.min(start + length - offset, shown.length)
      if (to > from) spans.push(from, to - from, kind)
      // A token that continues on the next line is handled again for that line.
      if (start + length > end) break
      at += 3
    }
    offset = end + 1
    const cut = line.length - shown.length
    return { line: first + nth, text: shown, spans, ...(cut > 0 ? { cut } : {}) }
  })
}

/** The lines with the matches of a pattern marked. */
export function withMarks(lines: readonly CodeLine[], pattern: RegExp | null): readonly CodeLine[] {
  if (pattern === null) return lines
  return lines.map((line) => {
    const marks = [...line.text.matchAll(pattern)].flatMap(({ index, 0: word }) => [index, word.length])
    return marks.length === 0 ? line : { ...line, marks }
  })
}
