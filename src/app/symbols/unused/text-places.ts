import { firstNot } from "../../../base/sorted.ts"
import { rowAt, type TextLines, textLines } from "../../../code/text-lines.ts"

/** Maximum number of characters before and after a place that are read of its line. */
const MAX_LINE_CHARS = 500

const OPEN_QUOTE = /["'`][^"'`]*$/
const COMMENT = /(?:^|\s)(?:\/\/|#(?!\[)|\/\*|--|;;)|^\s*\*/

/** Part of a text from the offset `from` up to `to`. */
type Range = { readonly from: number; readonly to: number }

/** Tells what stands at places of a source text. Lines and comments are found once for all places. */
export class TextPlaces {
  readonly #text: string
  readonly #family: string
  #lines: TextLines | null = null
  #comments: readonly Range[] | null = null

  constructor(text: string, family: string) {
    this.#text = text
    this.#family = family
  }

  /** Line number of the place, counted from 1. */
  lineAt(offset: number): number {
    this.#lines ??= textLines(this.#text)
    return rowAt(this.#lines, offset) + 1
  }

  /** True for a word in quotes, unless a comment begins before it on its line. */
  isInString(start: number, end: number): boolean {
    const before = this.#lineBefore(start)
    if (!OPEN_QUOTE.test(before) || COMMENT.test(before)) return false
    const [after = ""] = this.#text.slice(end, end + MAX_LINE_CHARS).split("\n", 1)
    return /["'`]/.test(after)
  }

  /** True for a place in a comment, or in a text of several lines that documents Python code. */
  isInComment(start: number): boolean {
    if (COMMENT.test(this.#lineBefore(start))) return true
    this.#comments ??= this.#family === "python" ? documentation(this.#text) : blockComments(this.#text)
    return isInRange(this.#comments, start)
  }

  #lineBefore(start: number): string {
    const before = this.#text.slice(Math.max(0, start - MAX_LINE_CHARS), start)
    return before.slice(before.lastIndexOf("\n") + 1)
  }
}

/** True if one of the ascending ranges contains the offset. */
function isInRange(ranges: readonly Range[], offset: number): boolean {
  const range = ranges[firstNot(0, ranges.length, (i) => ranges[i]!.to <= offset)]
  return range !== undefined && range.from <= offset
}

function blockComments(text: string): Range[] {
  const comments: Range[] = []
  for (let from = text.indexOf("/*"); from >= 0; ) {
    const close = text.indexOf("*/", from + 2)
    const to = close < 0 ? text.length : close
    comments.push({ from, to })
    from = text.indexOf("/*", to + 2)
  }
  return comments
}

/** The texts in three quotes with which a line begins. */
function documentation(text: string): Range[] {
  const texts: Range[] = []
  let open: { readonly at: number; readonly quotes: string } | null = null
  for (const { 0: quotes, index } of text.matchAll(/"""|'''/g)) {
    if (open === null) open = { at: index, quotes }
    else if (open.quotes === quotes) {
      if (beginsLine(text, open.at)) texts.push({ from: open.at, to: index })
      open = null
    }
  }
  if (open !== null && beginsLine(text, open.at)) texts.push({ from: open.at, to: text.length })
  return texts
}

function beginsLine(text: string, at: number): boolean {
  return /(?:^|\n)[ \t]*[rRuU]?$/.test(text.slice(Math.max(0, at - MAX_LINE_CHARS), at))
}
