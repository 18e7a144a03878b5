import type { SymbolRow } from "../../store/symbols.ts"
import { oneLine } from "../../text/one-line.ts"
import type { Basket } from "./allocate.ts"
import type { FoundFile } from "./found.ts"
import type { SnippetOffer } from "./offers.ts"
import type { QueryWords } from "./query-words.ts"
import type { ContextSnippet } from "./request.ts"

const MOST_LINES = 16
const LONGEST = 90

/** What else a file defines than was bought of it, a line each: all, or those with most of the task's words. */
export function outlineOffers(
  file: FoundFile,
  slot: string,
  query: QueryWords,
  { bought }: Basket<ContextSnippet>,
): SnippetOffer[] {
  const told = [...bought]
    .filter(([key]) => key === slot || key.startsWith(`${slot}/place`))
    .map(([, { item }]) => ({ item, lines: item.lines.split("-").map(Number) as [number, number] }))
    .filter(({ item, lines: [first, last] }) => item.text.includes("\n") || first === last)
  const isTold = ({ startLine, endLine }: SymbolRow) =>
    told.some(({ lines: [first, last] }) => startLine <= last && endLine >= first)
  const others = file.definitions().filter((symbol) => !(symbol.local || isTold(symbol)))
  const chosen = likeliest(others, file, query)
  if (told.length === 0 || chosen.length === 0) return []
  const snippet = {
    text: chosen.map(lineOf).join("\n"),
    lines: `${chosen[0]!.startLine}-${Math.max(...chosen.map(({ endLine }) => endLine))}`,
    why: `what else is defined here${others.length > chosen.length ? `; ${chosen.length} of ${others.length}` : ""}`,
  }
  return [{ slot: `${slot}/outline`, after: slot, value: 1, estimate: 20, make: () => snippet }]
}

function likeliest(all: readonly SymbolRow[], file: FoundFile, query: QueryWords): readonly SymbolRow[] {
  if (all.length <= MOST_LINES) return all
  const wordsIn = ({ name, startLine, endLine }: SymbolRow) =>
    2 * query.in(name).size + query.in(file.text(startLine, endLine)).size
  return all
    .map((symbol) => ({ symbol, words: wordsIn(symbol) }))
    .filter(({ words }) => words > 0)
    .sort((one, other) => other.words - one.words)
    .slice(0, MOST_LINES)
    .map(({ symbol }) => symbol)
    .sort((one, other) => one.startLine - other.startLine)
}

function lineOf({ startLine, endLine, signature }: SymbolRow): string {
  return `${startLine}-${endLine} ${oneLine(signature, LONGEST)}`
}
