import type { SymbolRow } from "../../store/index/symbols.ts"
import { oneLine } from "../../text/fence.ts"
import type { Basket } from "./allocate.ts"
import type { FoundFile } from "./found.ts"
import { offersOf, type SnippetOffer, signatureOffer } from "./offers.ts"
import type { QueryWords } from "./query-words.ts"
import { CONTEXT_LIMITS, type ContextRequest, type ContextSnippet } from "./request.ts"

/** Files whose definitions are followed through the graph and through git; others are there for themselves. */
export const MOST_FOLLOWED = 3
// What else is in a file is worth knowing of those where the task is likeliest done.
const MOST_OUTLINED = 3
// With less, more files tell more.
const LEAST_FOR_RELATIONS = 1000
// A file that is named at all is worth more than a line of one that is.
const OF_LINE = 3
// Less of the budget than this is left as it is.
const WORTH_FILLING = 0.04

export type Spending = {
  readonly query: QueryWords
  readonly request: ContextRequest
  /** Of each of the first of the files that are told in depth. */
  readonly changes: readonly (readonly string[])[]
}

/** A line for each likely file, then what is worth most by its tokens; slots are the files' places in `files`. */
export function spend(
  basket: Basket<ContextSnippet>,
  { files, deep }: { readonly files: readonly FoundFile[]; readonly deep: readonly FoundFile[] },
  { query, request, changes }: Spending,
): void {
  const { maxTokens, maxFiles } = request
  const slotOf = new Map(files.map((file, i) => [file, `${i}`]))
  const named = files.slice(0, maxFiles ?? files.length)
  const keep = basket.left - forSignatures(maxTokens)
  const later: FoundFile[] = []
  for (const file of named) {
    const isLikely = basket.left > keep && later.length === 0
    if (!isLikely || !basket.buy(signatureOffer(file, slotOf.get(file)!, query))) later.push(file)
  }
  const offersIn = (file: FoundFile, followed: number, of: readonly string[]) =>
    offersOf(file, slotOf.get(file)!, { query, request, changes: of, followed })
  basket.fill([
    ...deep.flatMap((file, i) => {
      const followed =
        maxTokens < LEAST_FOR_RELATIONS ? 0 : i === 0 ? MOST_FOLLOWED : i < MOST_FOLLOWED ? 1 : 0
      return offersIn(file, followed, changes[i] ?? [])
    }),
    ...later.map((file) => {
      const line = signatureOffer(file, slotOf.get(file)!, query)
      return { ...line, value: line.value * OF_LINE }
    }),
  ])
  const isLeft = () => basket.left > maxTokens * WORTH_FILLING
  for (const file of deep.slice(0, MOST_OUTLINED)) {
    if (isLeft()) basket.fill(outlineOffers(file, slotOf.get(file)!, query, basket))
  }
  if (maxFiles !== undefined || !isLeft()) return
  // What these leave over goes to the bodies of those after them.
  const others = named.filter((file) => !deep.includes(file))
  basket.fill(deepest(others).flatMap((file) => offersIn(file, 0, [])))
}

/** The files that are told in depth: those whose text is worth most, best first, or as many as were asked for. */
export function deepest(files: readonly FoundFile[], most?: number): readonly FoundFile[] {
  if (most !== undefined) return files.slice(0, most)
  return files
    .filter(({ depth }) => depth > 0)
    .sort((one, other) => other.depth - one.depth)
    .slice(0, CONTEXT_LIMITS.files.usual)
}

/** As much as signatures may take before anything else is bought. */
function forSignatures(maxTokens: number): number {
  return Math.min(150 + maxTokens * 0.3, 650)
}

const MOST_LINES = 16
const LONGEST = 90

/** What else a file defines than was bought of it, a line each: all, or those with most of the task's words. */
function outlineOffers(
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
