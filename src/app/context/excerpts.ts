import { cutAt, oneLine } from "../../text/one-line.ts"
import { bestLines } from "./best-lines.ts"
import type { Found } from "./found.ts"
import type { QueryWords } from "./query-words.ts"
import type { ContextSnippet } from "./request.ts"

const LONGEST_SIGNATURE = 110
const LONGEST_BEST_LINE = 140
// Longer ones are data; what is code stands within.
const LONGEST_LINE = 400
const MOST_BEST_LINES = 4
const GAP = "…"

/** Three lengths of one place: its signature, that and the best lines, or all of it. */
export class Excerpts {
  readonly #found: Found
  readonly #query: QueryWords

  constructor(found: Found, query: QueryWords) {
    this.#found = found
    this.#query = query
  }

  /** One line. */
  get signature(): ContextSnippet {
    const { startLine, endLine, symbol } = this.#found
    return {
      text: oneLine(symbol?.signature ?? this.#bestLine, LONGEST_SIGNATURE),
      lines: `${startLine}-${endLine}`,
      why: this.#why,
    }
  }

  /** The signature, and the lines in it that say most of what was asked; null where that is no more. */
  get lines(): ContextSnippet | null {
    const { startLine, endLine, symbol, chunk } = this.#found
    const best = bestLines(chunk, this.#query, MOST_BEST_LINES)
    const first = symbol === null ? null : oneLine(symbol.signature, LONGEST_SIGNATURE)
    const told = best.filter(({ text, number }) => number !== symbol?.startLine && text.trim() !== first)
    if (told.length === 0) return null
    const parts = first === null ? [] : [first]
    let at = symbol?.startLine ?? told[0]!.number - 1
    for (const { number, text } of told) {
      if (number !== at + 1) parts.push(GAP)
      parts.push(widthOf(text, LONGEST_BEST_LINE))
      at = number
    }
    return {
      text: parts.join("\n"),
      lines: `${startLine}-${endLine}`,
      why: this.#why,
    }
  }

  /** The whole definition, or of a long one the stretch around its best lines, within so many characters. */
  body(most: number): ContextSnippet {
    const { startLine, endLine, symbol, chunk } = this.#found
    const why = this.#why
    const whole = this.#found.body.map(({ text }) => widthOf(text, LONGEST_LINE))
    if (lengthOf(whole) <= most) return { text: whole.join("\n"), lines: `${startLine}-${endLine}`, why }
    const head =
      symbol === null || chunk[0]!.number <= symbol.startLine
        ? []
        : [oneLine(symbol.signature, LONGEST_SIGNATURE), GAP]
    const kept: string[] = []
    let left = most - lengthOf(head) - GAP.length - 1
    for (const { text } of chunk) {
      const line = widthOf(text, LONGEST_LINE)
      if (line.length + 1 > left) break
      left -= line.length + 1
      kept.push(line)
    }
    const first = chunk[0]!.number
    const last = first + Math.max(1, kept.length) - 1
    return { text: [...head, ...kept, GAP].join("\n"), lines: `${first}-${last}`, why: `${why}; cut` }
  }

  get #bestLine(): string {
    const { chunk } = this.#found
    const best = bestLines(chunk, this.#query, 1)[0] ?? chunk.find(({ text }) => /[\p{L}\p{N}]/u.test(text))
    return best?.text ?? ""
  }

  get #why(): string {
    const { text, name, symbol } = this.#found
    return this.#query.why(text, name, symbol?.kind === "section" ? "section" : "defines")
  }
}

function widthOf(line: string, most: number): string {
  return line.length <= most ? line : `${cutAt(line, most - 1)}${GAP}`
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0)
}
