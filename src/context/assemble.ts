/*
 * Builds the answer to a task (`aman context`) from ranked search results. `assemble`: 1. the files of the results,
 * without those found only by their vectors; 2. memory hints; 3. `packFiles` fills the token budget: it cuts files
 * into pieces and orders them by expected gain (gain.ts), reserves tokens for related symbols and file names, packs
 * pieces (pack.ts), then adds related symbols and names; 4. hints about what was left out; 5. the bundle is cut to
 * the budget.
 */

import { AmanError, type SearchAnswer, type SearchResult } from "../base/index.ts"
import { type Project, readEdits, revertedChanges } from "../index/index.ts"
import { queryKind, withNames } from "../search/index.ts"
import type { SymbolGraph } from "../symbols/index.ts"
import { type CountTokens, loadTokenizer, oneLine } from "../text/index.ts"
import {
  bundleTokens,
  CONTEXT_LIMITS,
  type ContextBundle,
  type ContextFile,
  type ContextRequest,
  fileName,
  fileTokens,
  fitBundle,
  snippetTokens,
} from "./bundle.ts"
import { expectedGains } from "./gain.ts"
import type { MemoryHints } from "./memories.ts"
import { type NamedPieces, namedPieces } from "./named-lines.ts"
import { choiceOrder, Pack, type ScoredPiece, worthwhile } from "./pack.ts"
import { SourceFile } from "./pieces.ts"
import { type RelatedSnippet, relatedSnippets } from "./related.ts"
import { lineSnippet } from "./snippets.ts"
import { QueryWords, type Rarity, TaskTerms } from "./task-terms.ts"

/**
 * Returns the files in which a search result can be read and its symbols followed; null if its project or clone is no
 * longer open.
 */
export type LocateResult = (
  result: SearchResult,
) => { readonly project: Project; readonly graph: SymbolGraph } | null

/**
 * Share of the token budget for names of files. The constants below are the shares for related symbols and for
 * memories. Tokens that these three leave unused go to code.
 */
const NAMES_SHARE = 0.1
/** Additional share of the budget for names of files, if code leaves tokens unused. */
const MORE_NAMES = 0.06
const RELATED_SHARE = 0.1
const MEMORIES_SHARE = 0.12
// Below this budget, code is more useful than related symbols. Above it their share grows gradually, so that
// code never gets fewer tokens from a larger budget.
const MIN_FOR_RELATED = 1000
const RELATED_GROWTH = 0.15
// Safety margin in tokens: a whole answer can have slightly more tokens than the sum of its pieces.
const MARGIN = 8
/** Below this budget the answer does not list what is cut, because each snippet names its lines. */
const BRIEF = 2000
const LONGEST_HINT = 240
const { usual } = CONTEXT_LIMITS.files

/**
 * Ranked results as a bundle, in this order: the definitions that the task most likely changes, whole and best first;
 * what they call, what calls them and their tests; the names of other likely files.
 */
export async function assemble(
  answer: SearchAnswer,
  places: LocateResult,
  request: ContextRequest,
  memories: MemoryHints | null,
): Promise<ContextBundle> {
  const { maxTokens, maxFiles } = request
  const query = new QueryWords(withNames(request.query, request.names))
  const candidates = sourceFiles(answer, places)
  const named = namedPieces(request, answer, places, candidates)
  const isNearestOnly = answer.nearest_only === true && named.size === 0
  const others = isNearestOnly ? candidates.slice(0, usual) : withoutFiller(candidates, query)
  const likely = [...new Set([...named.keys(), ...others])]
  const files = likely.slice(0, maxFiles)
  const found = isNearestOnly ? [] : files.slice(0, usual)
  const [count, reverted, remembered] = await Promise.all([
    loadTokenizer(),
    request.related ? revertHints(found, query) : [],
    request.memories && memories !== null ? memoryHints(memories, request.query, found) : [],
  ])
  const known = firstThatFit([...reverted, ...remembered], count, maxTokens * MEMORIES_SHARE)
  const hints = [...noticeHints(answer), ...known.fitting]
  const packed = isNearestOnly
    ? nearestFiles(files, query)
    : await packFiles(files, { query, request, count, named, budget: spendable(request, hints, count) })
  const shown = packed.files.length
  const summary = `${isNearestOnly && files.length > 0 ? "Nothing matches the task. " : ""}${bundleSummary(packed.files)}`
  const missing = [
    ...(packed.cut.length === 0 ? [] : [`some code is cut: read ${packed.cut.join(", ")}`]),
    ...othersHint(likely.length - shown, answer.next_offset !== null, shown === maxFiles),
  ].map((hint) => oneLine(hint, LONGEST_HINT))
  const allHints = [...hints, ...(isNearestOnly ? [OTHER_WORDS] : missing)]
  const bundle = { summary, files: packed.files, hints: allHints, tokens: maxTokens }
  return fitBundle(bundle, maxTokens, count)
}

/** Says how many further files match and how to get them; empty if there are none. */
function othersHint(others: number, isMore: boolean, isCapped: boolean): string[] {
  const raise = isCapped ? "allow more files" : "raise the budget"
  return others > 0 ? [`${others}${isMore ? " or more" : ""} other files match: search, or ${raise}`] : []
}

type PackedFiles = {
  readonly files: readonly ContextFile[]
  /** Pieces that were cut or left out, as "path:lines". */
  readonly cut: readonly string[]
}

type PackRequest = {
  readonly query: QueryWords
  readonly request: ContextRequest
  readonly count: CountTokens
  /** The pieces with lines that the task names; they come first. */
  readonly named: NamedPieces
  /** Token budget for files. */
  readonly budget: number
}

/**
 * Fills the answer. Each kind of content has a share of the total budget, and the order in which a share is filled does
 * not depend on the budget. Therefore a larger budget never shows less.
 */
async function packFiles(files: readonly SourceFile[], packing: PackRequest): Promise<PackedFiles> {
  const { query, request, count, budget } = packing
  for (const [root, own] of Map.groupBy(files, ({ project }) => project.root)) await readEdits(root, own)
  const rarity = rarityIn(files)
  const task = new TaskTerms(withNames(request.query, request.names), rarity)
  const isTask = queryKind(request.query) === "task"
  const ordered = choiceOrder(expectedGains(files, task, query, isTask), packing.named)
  const maxRelated = Math.min(
    request.maxTokens * RELATED_SHARE,
    (request.maxTokens - MIN_FOR_RELATED) * RELATED_GROWTH,
  )
  const related: (RelatedSnippet & { readonly tokens: number })[] = []
  const rest = relatedSnippets(ordered, request)
  const forRelated = Math.max(0, Math.min(maxRelated, await findRelated(related, rest, maxRelated, count)))
  const nameTokens = ({ head }: SourceFile) => fileTokens(head, count)
  const forNames = Math.min(request.maxTokens * NAMES_SHARE, sum(files.map(nameTokens)))
  const pack = new Pack(budget - forRelated - forNames, query, count)
  const wanted = request.endsEarly ? worthwhile(ordered, rarity.documents) : ordered
  const missing = pack.fill(wanted)
  // If all code is shown, the related symbols get the rest of the budget.
  const leftOver = missing.length === 0 && wanted === ordered ? pack.left : 0
  if (leftOver > 0) await findRelated(related, rest, forRelated + leftOver, count)
  const shown = related.filter(({ file }) => pack.files.includes(file))
  const about = firstThatFit(shown, ({ tokens }) => tokens, forRelated + leftOver)
  const withCode = pack.files.map((file) => {
    const own = about.fitting.filter((each) => each.file === file)
    return { ...file.head, snippets: [...pack.snippets(file), ...own.map(({ snippet }) => snippet)] }
  })
  const others = files.filter((file) => !pack.files.includes(file))
  const left = forNames + Math.min(request.maxTokens * MORE_NAMES, pack.left - leftOver + about.left)
  const named = firstThatFit(others, nameTokens, left).fitting.map(({ head }) => ({ ...head, snippets: [] }))
  return { files: [...withCode, ...named], cut: request.maxTokens < BRIEF ? [] : cutPlaces(missing, pack) }
}

/** Searches related snippets one by one until they have `max` tokens together, and adds them; returns the tokens of all. */
async function findRelated(
  found: (RelatedSnippet & { readonly tokens: number })[],
  rest: AsyncIterator<RelatedSnippet, void>,
  max: number,
  count: CountTokens,
): Promise<number> {
  let all = sum(found.map(({ tokens }) => tokens))
  while (all < max) {
    const { value } = await rest.next()
    if (!value) break
    const tokens = snippetTokens(value.snippet, count)
    found.push({ ...value, tokens })
    all += tokens
  }
  return all
}

/** The first items whose tokens together do not exceed the budget, and the tokens that are left. */
function firstThatFit<T>(items: readonly T[], tokensOf: (item: T) => number, budget: number) {
  const fitting: T[] = []
  let left = budget
  for (const item of items) {
    const tokens = tokensOf(item)
    if (tokens > left) break
    left -= tokens
    fitting.push(item)
  }
  return { fitting, left }
}

const MAX_CUT_PLACES = 4

/** The pieces with the highest expected gain in shown files that are left out or cut, as "path:lines". */
function cutPlaces(missing: readonly ScoredPiece[], { files }: Pack): string[] {
  return missing
    .filter(({ file }) => files.includes(file))
    .slice(0, MAX_CUT_PLACES)
    .map(({ file: { head }, piece }) => `${fileName(head)}:${piece.startLine}-${piece.endLine}`)
}

/** The answer if no piece of a file is worth showing: one line for each of the nearest files. */
function nearestFiles(files: readonly SourceFile[], query: QueryWords): PackedFiles {
  const shown = files.flatMap((file) => {
    const line = lineSnippet(file, query)
    return line === null ? [] : [{ ...file.head, snippets: [line] }]
  })
  return { files: shown, cut: [] }
}

/** The files of the results; those that are not in the index are left out. */
export function sourceFiles({ results }: Pick<SearchAnswer, "results">, places: LocateResult): SourceFile[] {
  return results.flatMap((result) => {
    const at = places(result)
    const row = at?.graph.store.files.byPath(result.path)
    return at && row ? [new SourceFile(result, row, at)] : []
  })
}

/** Document frequencies summed over all indexes that the files come from. */
export function rarityIn(files: readonly SourceFile[]): Rarity {
  const indexes = [...new Set(files.map(({ project }) => project))].flatMap(
    (project) => project.reader()?.keyword() ?? [],
  )
  return {
    documents: sum(indexes.map(({ documents }) => documents)),
    estimate: (hi, lo) => sum(indexes.map((index) => index.estimate(hi, lo))),
  }
}

/**
 * Drops files that contain no word of the task in text or path, so that only their vectors found them. If the best
 * file is one of these, the task uses other words than the code, so all files stay.
 */
function withoutFiller(files: readonly SourceFile[], query: QueryWords): readonly SourceFile[] {
  const hasWords = ({ path, result }: SourceFile) => query.has(path) || query.has(result.text)
  if (files[0] === undefined || !hasWords(files[0])) return files
  return files.filter((file, i) => hasWords(file) || (i < usual && file.result.text.includes("\n")))
}

const [MAX_REVERTS, MAX_REVERT] = [2, 220]

/** Changes of these files that were tried and reverted: those with a word of the task, one line each. */
async function revertHints(files: readonly SourceFile[], query: QueryWords): Promise<string[]> {
  const root = files[0]?.project.root
  const paths = new Set(files.map(({ path }) => path))
  const reverted = root === undefined ? [] : await revertedChanges(root)
  return reverted
    .filter((change) => change.paths.some((path) => paths.has(path)) && query.has(change.subject))
    .slice(0, MAX_REVERTS)
    .map(({ line }) => oneLine(line, MAX_REVERT))
}

/** The hints from the memory. If the memory fails, the hint is its error message, because code is shown all the same. */
function memoryHints(
  memories: MemoryHints,
  query: string,
  files: readonly SourceFile[],
): Promise<readonly string[]> {
  return memories(query, files).catch((error: unknown) => {
    if (!(error instanceof AmanError)) throw error
    return [`memories are left out: ${error.message}`]
  })
}

/**
 * Number of tokens left for files: the budget without the summary, the hints, and a reserve for hints about omitted
 * content.
 */
function spendable({ maxTokens }: ContextRequest, hints: readonly string[], count: CountTokens): number {
  const summary = "10 files, best first: 10 with code, the others by name."
  const missing = Math.min(120, 25 + maxTokens * (maxTokens < BRIEF ? 0 : 0.03))
  return maxTokens - bundleTokens({ summary, files: [], hints }, count) - missing - MARGIN
}

/** First line of an answer with these files: how many there are, and how many of them have code. */
export function bundleSummary(files: readonly ContextFile[]): string {
  if (files.length === 0) return "Nothing found."
  const withCode = files.filter(({ snippets }) => snippets.length > 0).length
  const rest = withCode === files.length ? "" : `: ${withCode} with code, the others by name`
  return `${files.length === 1 ? "1 file" : `${files.length} files, best first`}${rest}.`
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

const OTHER_WORDS = "try other words, fewer filters, or one distinctive identifier"

/** Notices about the answer's limits, such as an unfinished index or repositories that did not answer. */
function noticeHints({ results, notices, partial, repositories }: SearchAnswer): string[] {
  const advice = results.length > 0 ? [] : [OTHER_WORDS]
  const parts = repositories === undefined ? "files" : "repositories"
  const share = Math.floor((partial?.share ?? 1) * 100)
  const unfinished = partial === null ? [] : [`the index is not complete yet: ${share} % of the ${parts}`]
  return [...unfinished, ...notices, ...advice].slice(0, 3).map((notice) => oneLine(notice, LONGEST_HINT))
}
