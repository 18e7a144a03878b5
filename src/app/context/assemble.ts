import { AmanError } from "../../base/errors.ts"
import type { SymbolGraph } from "../../graph/symbol-graph.ts"
import { type CountTokens, loadTokenizer } from "../../text/tokenizer.ts"
import type { SearchAnswer, SearchResult } from "../answers.ts"
import type { Project } from "../open-project.ts"
import { Basket } from "./allocate.ts"
import { fileTokens, fitted, snippetTokens, tokensOf } from "./bundle.ts"
import { recentChanges } from "./changes.ts"
import { FoundFile } from "./found.ts"
import { leftOutHints, noticeHints, OTHER_WORDS, placeOf, within } from "./hints.ts"
import type { MemoryHints } from "./memories.ts"
import { offersOf, signatureOffer } from "./offers.ts"
import { QueryWords } from "./query-words.ts"
import {
  CONTEXT_LIMITS,
  type ContextBundle,
  type ContextFile,
  type ContextRequest,
  type ContextSnippet,
} from "./request.ts"

/** Where a result is read and its symbols are followed; null where that is gone. */
export type Places = (
  result: SearchResult,
) => { readonly project: Project; readonly graph: SymbolGraph } | null

// Files whose definitions are followed through the graph and through git; others are there for themselves.
const MOST_FOLLOWED = 3
// With less, more files tell more.
const LEAST_FOR_RELATIONS = 1000
const LEAST_FOR_CHANGES = 1500
// Odds flatten what is merely unlikely into nothing; the tenth file is meant often enough.
const FLOOR = 0.1
const SHARE_OF_MEMORIES = 0.12
// Less of the budget than this is left as it is.
const WORTH_FILLING = 0.04
// What is counted piece by piece may count a little more as a whole.
const MARGIN = 8

/**
 * Ranked results as a bundle: each likely file first by its cheapest piece, then whatever is worth most by its tokens.
 */
export async function assemble(
  answer: SearchAnswer,
  places: Places,
  request: ContextRequest,
  memories: MemoryHints | null,
): Promise<ContextBundle> {
  const query = new QueryWords(request.query)
  const isNear = answer.nearest_only === true
  const found = foundFiles(answer, places)
  const files = isNear
    ? found.slice(0, request.maxFiles ?? CONTEXT_LIMITS.files.usual)
    : withoutFiller(found, query)
  const isDeep = request.related && request.maxTokens >= LEAST_FOR_CHANGES && !isNear
  const [count, changes, remembered] = await Promise.all([
    loadTokenizer(),
    isDeep ? recentChanges(files.slice(0, MOST_FOLLOWED)) : [],
    request.memories && memories !== null ? remember(memories, request, isNear ? [] : files) : [],
  ])
  const hints = [...noticeHints(answer), ...within(remembered, request.maxTokens * SHARE_OF_MEMORIES, count)]
  const basket = new Basket<ContextSnippet>(spendable(request, hints, count), (snippet, slot) => {
    const own = snippetTokens(snippet, count)
    return slot.includes("/") ? own : own + fileTokens(headOf(files[Number(slot)]!), count)
  })
  if (isNear) for (const [i, file] of files.entries()) basket.buy(signatureOffer(file, `${i}`, query))
  else spend(basket, files, { query, request, changes })
  const shown = filesIn(basket, files)
  const summary = `${isNear && shown.length > 0 ? "Nothing matches the task. " : ""}${summaryOf(shown, basket)}`
  const bundle = { summary, files: shown, hints, tokens: request.maxTokens }
  return fitted(
    {
      ...bundle,
      hints: [
        ...hints,
        ...(isNear
          ? [OTHER_WORDS]
          : leftOut({ files: files.length, isMore: answer.next_offset !== null }, basket, shown, request)),
      ],
    },
    request.maxTokens,
    count,
  )
}

function foundFiles({ results }: SearchAnswer, places: Places): FoundFile[] {
  const sum = results.reduce((total, { score }) => total + score + FLOOR, 0)
  return results.flatMap((result) => {
    const place = places(result)
    return place === null ? [] : [new FoundFile(result, place, (result.score + FLOOR) / sum)]
  })
}

/**
 * A file that has no word of the task, nor its path, is near by meaning alone: among the best it goes where a single
 * line would be all of it, and after them always. Where the best one is such a file, the task's words are others.
 */
function withoutFiller(files: readonly FoundFile[], query: QueryWords): readonly FoundFile[] {
  const hasWords = ({ path, glimpse }: FoundFile) => query.in(glimpse.text).size + query.in(path).size > 0
  if (files[0] === undefined || !hasWords(files[0])) return files
  const isLine = ({ glimpse: { startLine, endLine } }: FoundFile) => startLine === endLine
  return files.filter((file, i) => hasWords(file) || (i < CONTEXT_LIMITS.files.usual && !isLine(file)))
}

/** Code is shown whatever is wrong with what was remembered. */
function remember(
  memories: MemoryHints,
  { query }: ContextRequest,
  files: readonly FoundFile[],
): Promise<readonly string[]> {
  return memories(query, files.slice(0, CONTEXT_LIMITS.files.usual)).catch((error: unknown) => {
    if (!(error instanceof AmanError)) throw error
    return [`nothing is told of what was remembered: ${error.message}`]
  })
}

/** What is left for files: the budget less the frame, its hints and what will be said of what is missing. */
function spendable({ maxTokens }: ContextRequest, hints: readonly string[], count: CountTokens): number {
  const summary = "10 files, best first: 10 with code, the others by a line each."
  const said = maxTokens < 2000 ? 50 : 120
  return maxTokens - tokensOf({ summary, files: [], hints, tokens: maxTokens }, count) - said - MARGIN
}

/** As much as signatures may take before anything else is bought. */
function forSignatures(maxTokens: number): number {
  return Math.min(150 + maxTokens * 0.3, 650)
}

type Spending = {
  readonly query: QueryWords
  readonly request: ContextRequest
  /** Of each of the first files. */
  readonly changes: readonly (readonly string[])[]
}

function spend(
  basket: Basket<ContextSnippet>,
  files: readonly FoundFile[],
  { query, request, changes }: Spending,
): void {
  const { maxTokens, maxFiles } = request
  const named = files.slice(0, maxFiles ?? files.length)
  const keep = basket.left - forSignatures(maxTokens)
  const later: FoundFile[] = []
  for (const [i, file] of named.entries()) {
    const isLikely = basket.left > keep && later.length === 0
    if (!isLikely || !basket.buy(signatureOffer(file, `${i}`, query))) later.push(file)
  }
  const deep = named.slice(0, maxFiles ?? CONTEXT_LIMITS.files.usual)
  basket.fill([
    ...deep.flatMap((file, i) => {
      const followed =
        maxTokens < LEAST_FOR_RELATIONS ? 0 : i === 0 ? MOST_FOLLOWED : i < MOST_FOLLOWED ? 1 : 0
      return offersOf(file, `${i}`, { query, request, changes: changes[i] ?? [], followed })
    }),
    ...later.map((file) => signatureOffer(file, `${files.indexOf(file)}`, query)),
  ])
  if (maxFiles === undefined && basket.left > maxTokens * WORTH_FILLING)
    fillUp(basket, named, { query, request })
}

/** What five files leave over goes to the bodies of those after them. */
function fillUp(
  basket: Basket<ContextSnippet>,
  files: readonly FoundFile[],
  { query, request }: Omit<Spending, "changes">,
): void {
  const { usual } = CONTEXT_LIMITS.files
  basket.fill(
    files
      .slice(usual, 2 * usual)
      .flatMap((file, i) => offersOf(file, `${i + usual}`, { query, request, changes: [], followed: 0 })),
  )
}

function filesIn(basket: Basket<ContextSnippet>, files: readonly FoundFile[]): ContextFile[] {
  return files.flatMap((file, i) => {
    const main = basket.bought.get(`${i}`)
    if (main === undefined) return []
    const others = [...basket.bought]
      .filter(([slot]) => slot.startsWith(`${i}/`))
      .sort(([one], [other]) => order(one) - order(other) || (one < other ? -1 : 1))
      .map(([, { item }]) => item)
    return [{ ...headOf(file), snippets: [main.item, ...others] }]
  })
}

const ORDER = ["place", "callees", "callers", "tests", "changes"]

function order(slot: string): number {
  return ORDER.findIndex((kind) => slot.includes(`/${kind}`))
}

function headOf({ result: { repository, path } }: FoundFile): Omit<ContextFile, "snippets"> {
  return repository === undefined ? { path } : { repository, path }
}

function summaryOf(shown: readonly ContextFile[], { bought }: Basket<ContextSnippet>): string {
  if (shown.length === 0) return "Nothing was found."
  const withCode = [...bought].filter(
    ([slot, { item }]) => !slot.includes("/") && item.text.includes("\n"),
  ).length
  const rest =
    withCode === shown.length
      ? ""
      : withCode === 0
        ? ", by a line each"
        : `: ${withCode} with code, the others by a line each`
  return `${shown.length === 1 ? "1 file" : `${shown.length} files, best first`}${rest}.`
}

function leftOut(
  { files, isMore }: { readonly files: number; readonly isMore: boolean },
  { bought }: Basket<ContextSnippet>,
  shown: readonly ContextFile[],
  { maxTokens, maxFiles }: ContextRequest,
): string[] {
  const isCut = ({ snippets: [main] }: ContextFile) =>
    main!.why.endsWith("cut") || !(main!.text.includes("\n") || isOneLine(main!.lines))
  const deep = shown.slice(0, maxFiles ?? CONTEXT_LIMITS.files.usual)
  return leftOutHints({
    places: bought.size === 0 ? [] : deep.filter(isCut).map(placeOf),
    isBrief: maxTokens < 2000,
    files: files - shown.length,
    isMore,
    isCapped: maxFiles !== undefined && shown.length === maxFiles,
  })
}

function isOneLine(lines: string): boolean {
  const [start, end] = lines.split("-")
  return start === end
}
