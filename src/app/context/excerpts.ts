import { cutAt, oneLine } from "../../text/fence.ts"
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

  /** One line; null where there is nothing to read. */
  get signature(): ContextSnippet | null {
    const { startLine, endLine, symbol, isPart } = this.#found
    // The head of a long definition says the same of each of its parts.
    const isHead = symbol !== null && !(isPart && startLine > symbol.startLine)
    const text = oneLine(isHead ? symbol.signature : this.#bestLine, LONGEST_SIGNATURE)
    if (text === "") return null
    return {
      text,
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

  /** The whole definition; of one that is longer than so many characters its beginning and its best lines. */
  body(most: number): ContextSnippet | null {
    const { startLine, endLine } = this.#found
    const lines = `${startLine}-${endLine}`
    const [before, after] = this.#frame
    const whole = [...before, ...this.#found.body.map(({ text }) => widthOf(text, LONGEST_LINE)), ...after]
    // Of one line that stands alone the indent says nothing.
    const text = whole.length === 1 ? whole[0]!.trim() : whole.join("\n")
    if (text.length <= most) return { text, lines, why: this.#why }
    const cut = this.#cut(most)
    return cut === null ? null : { text: cut, lines, why: `${this.#why}; cut` }
  }

  /** What stands around a part of a definition: whose it is, and that it goes on. */
  get #frame(): readonly [readonly string[], readonly string[]] {
    const { symbol, isPart, startLine, endLine } = this.#found
    if (symbol === null || !isPart) return [[], []]
    const before = startLine > symbol.startLine ? [oneLine(symbol.signature, LONGEST_SIGNATURE), GAP] : []
    return [before, endLine < symbol.endLine ? [GAP] : []]
  }

  /** Null where not even the first line would fit. */
  #cut(most: number): string | null {
    const { symbol, chunk } = this.#found
    const isInside = symbol !== null && chunk[0]!.number > symbol.startLine
    const parts = isInside ? [oneLine(symbol.signature, LONGEST_SIGNATURE), GAP] : []
    const best = bestLines(chunk, this.#query, MOST_BEST_LINES).map(({ number, text }) => ({
      number,
      text: widthOf(text, LONGEST_BEST_LINE),
    }))
    const kept = new Set<number>()
    let left = most - lengthOf(parts) - lengthOf(best.flatMap(({ text }) => [text, GAP])) - 2
    for (const { number, text } of chunk) {
      left -= widthOf(text, LONGEST_LINE).length + 1
      if (left < 0) break
      kept.add(number)
    }
    if (kept.size === 0) return null
    const later = new Set(best.map(({ number }) => number).filter((number) => !kept.has(number)))
    let at = chunk[0]!.number - 1
    for (const { number, text } of chunk) {
      if (!kept.has(number) && !later.has(number)) continue
      if (number !== at + 1) parts.push(GAP)
      parts.push(widthOf(text, kept.has(number) ? LONGEST_LINE : LONGEST_BEST_LINE))
      at = number
    }
    return [...parts, ...(at === this.#found.endLine ? [] : [GAP])].join("\n")
  }

  get #bestLine(): string {
    const { chunk } = this.#found
    const best = bestLines(chunk, this.#query, 1)[0] ?? chunk.find(({ text }) => /[\p{L}\p{N}]/u.test(text))
    return best?.text ?? ""
  }

  get #why(): string {
    const { text, name, symbol, isPart } = this.#found
    const why = this.#query.why(text, name, symbol?.kind === "section" ? "section" : "defines")
    return isPart ? `${why}; part of ${symbol!.startLine}-${symbol!.endLine}` : why
  }
}

function widthOf(line: string, most: number): string {
  return line.length <= most ? line : `${cutAt(line, most - 1)}${GAP}`
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0)
}

export type NumberedLine = { readonly number: number; readonly text: string }

/** The lines that hold most of the words, each for a word that no other holds yet; in their order. */
export function bestLines(lines: readonly NumberedLine[], query: QueryWords, most: number): NumberedLine[] {
  const held = lines
    .map((line) => ({ line, words: query.in(line.text) }))
    .filter(({ words }) => words.size > 0)
  const covered = new Set<string>()
  const chosen = new Set<NumberedLine>()
  while (chosen.size < most) {
    let best: (typeof held)[number] | null = null
    let gain = 0
    for (const each of held) {
      if (chosen.has(each.line)) continue
      const news = [...each.words].filter((word) => !covered.has(word)).length
      const value = news + each.words.size / 100
      if (news > 0 && value > gain) [best, gain] = [each, value]
    }
    if (best === null) break
    chosen.add(best.line)
    for (const word of best.words) covered.add(word)
  }
  return [...chosen].sort((one, other) => one.number - other.number)
}
