import { LRUCache } from "lru-cache"
import { AmanError } from "../../base/errors.ts"
import { FILE_FLAG } from "../../base/file-flag.ts"
import { headCommit } from "../../git/head-commit.ts"
import { type LineChange, lineHistory, recentSince } from "../../git/line-history.ts"
import { filesNotCommitted } from "../../git/recent-files.ts"
import { findWorkTree } from "../../git/work-tree.ts"
import { isRecordStem, RECORD_WORDS } from "../../search/rank/file-facts.ts"
import type { FileRow } from "../../store/index/file-rows.ts"
import type { SymbolGraph } from "../../symbols/symbol-graph.ts"
import { oneLine } from "../../text/fence.ts"
import { stemName } from "../../text/terms/path-words.ts"
import { type CountTokens, loadTokenizer } from "../../text/tokenizer.ts"
import type { SearchAnswer, SearchResult } from "../answers.ts"
import type { Project } from "../project/open-project.ts"
import { Basket } from "./allocate.ts"
import { fileTokens, fitted, snippetTokens, tokensOf } from "./bundle.ts"
import { FoundFile } from "./found.ts"
import { leftOutHints, noticeHints, OTHER_WORDS, placeOf, within } from "./hints.ts"
import type { MemoryHints } from "./memories.ts"
import { longestBody, signatureOffer } from "./offers.ts"
import { QueryWords } from "./query-words.ts"
import {
  CONTEXT_LIMITS,
  type ContextBundle,
  type ContextFile,
  type ContextRequest,
  type ContextSnippet,
} from "./request.ts"
import { deepest, MOST_FOLLOWED, spend } from "./spend.ts"

/** Where a result is read and its symbols are followed; null where that is gone. */
export type Places = (
  result: SearchResult,
) => { readonly project: Project; readonly graph: SymbolGraph } | null

// With less, more files tell more.
const LEAST_FOR_CHANGES = 1500
// Odds flatten what is merely unlikely into nothing; the tenth file is meant often enough.
const FLOOR = 0.1
// With this they say of 60 commits' files as often as not what they claim, from .01 to .6; what is spent goes by that.
const LEAST_ODDS = 0.02
const SHARE_OF_MEMORIES = 0.12
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
  const found = foundFiles(answer, places, { query, longest: longestBody(request.maxTokens) })
  const files = isNear
    ? found.slice(0, request.maxFiles ?? CONTEXT_LIMITS.files.usual)
    : withoutFiller(found, query)
  const deep = deepest(files, request.maxFiles)
  const isDeep = request.related && request.maxTokens >= LEAST_FOR_CHANGES && !isNear
  const [count, changes, remembered] = await Promise.all([
    loadTokenizer(),
    isDeep ? recentChanges(deep.slice(0, MOST_FOLLOWED)) : [],
    request.memories && memories !== null ? remember(memories, request, isNear ? [] : files) : [],
  ])
  const hints = [...noticeHints(answer), ...within(remembered, request.maxTokens * SHARE_OF_MEMORIES, count)]
  const basket = new Basket<ContextSnippet>(spendable(request, hints, count), (snippet, slot) => {
    const own = snippetTokens(snippet, count)
    return slot.includes("/") ? own : own + fileTokens(headOf(files[Number(slot)]!), count)
  })
  if (isNear) for (const [i, file] of files.entries()) basket.buy(signatureOffer(file, `${i}`, query))
  else spend(basket, { files, deep }, { query, request, changes })
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
          : leftOut({ files, deep, isMore: answer.next_offset !== null }, basket, shown.length, request)),
      ],
    },
    request.maxTokens,
    count,
  )
}

function foundFiles(
  { results }: SearchAnswer,
  places: Places,
  { query, longest }: { readonly query: QueryWords; readonly longest: number },
): FoundFile[] {
  const sumOver = (least: number) => results.reduce((sum, { score }) => sum + score + least, 0)
  const [floored, sum] = [sumOver(FLOOR), sumOver(LEAST_ODDS)]
  return results.flatMap((result) => {
    const at = places(result)
    const row = at?.graph.store.files.byPath(result.path)
    if (!at || !row) return []
    const share = (result.score + FLOOR) / floored
    const depth = ((result.score + LEAST_ODDS) / sum) * roleWorth(row, query)
    return [new FoundFile(result, at, { share, depth, longest })]
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
    return [`memories are left out: ${error.message}`]
  })
}

/** What is left for files: the budget less the frame, its hints and what will be said of what is missing. */
function spendable({ maxTokens }: ContextRequest, hints: readonly string[], count: CountTokens): number {
  const summary = "10 files, best first: 10 with code, the others as one line."
  const said = maxTokens < 2000 ? 50 : 120
  return maxTokens - tokensOf({ summary, files: [], hints, tokens: maxTokens }, count) - said - MARGIN
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

const ORDER = ["place", "outline", "callees", "callers", "tests", "changes"]

function order(slot: string): number {
  return ORDER.findIndex((kind) => slot.includes(`/${kind}`))
}

function headOf({ result: { repository, path } }: FoundFile): Omit<ContextFile, "snippets"> {
  return repository === undefined ? { path } : { repository, path }
}

function summaryOf(shown: readonly ContextFile[], { bought }: Basket<ContextSnippet>): string {
  if (shown.length === 0) return "Nothing found."
  const withCode = [...bought].filter(
    ([slot, { item }]) => !slot.includes("/") && item.text.includes("\n"),
  ).length
  const rest =
    withCode === shown.length
      ? ""
      : withCode === 0
        ? ", as one line each"
        : `: ${withCode} with code, the others as one line`
  return `${shown.length === 1 ? "1 file" : `${shown.length} files, best first`}${rest}.`
}

function leftOut(
  { files, deep, isMore }: { files: readonly FoundFile[]; deep: readonly FoundFile[]; isMore: boolean },
  { bought }: Basket<ContextSnippet>,
  shown: number,
  { maxTokens, maxFiles }: ContextRequest,
): string[] {
  const isCut = ({ text, lines, why }: ContextSnippet) =>
    why.endsWith("cut") || !(text.includes("\n") || isOneLine(lines))
  const cut = deep.flatMap((file) => {
    const main = bought.get(`${files.indexOf(file)}`)?.item
    return main !== undefined && isCut(main) ? [placeOf(headOf(file), main)] : []
  })
  return leftOutHints({
    places: cut,
    isBrief: maxTokens < 2000,
    files: files.length - shown,
    isMore,
    isCapped: maxFiles !== undefined && shown === maxFiles,
  })
}

function isOneLine(lines: string): boolean {
  const [start, end] = lines.split("-")
  return start === end
}

// Beside source code; chosen, not fitted: what commits change says nothing of what is worth reading for them.
const DOCS = 0.3
const TEST = 0.4
const NOT_OURS = 0.2

const TEST_WORDS = "test spec fixture mock stub assertion coverage"
const DOCS_WORDS = "docs document documentation readme manual guide tutorial page section"

const NOT_WRITTEN_HERE = FILE_FLAG.generated | FILE_FLAG.vendored | FILE_FLAG.output

/**
 * What the text of a file is worth for a task beside source code that is as likely meant, 0 to 1. A file of any role
 * is named; one that keeps a record of the project is no more than that, unless the task speaks of such.
 */
export function roleWorth(
  { path, content, flags }: Pick<FileRow, "path" | "content" | "flags">,
  query: QueryWords,
): number {
  const isAsked = (words: string) => query.in(words).size > 0
  if (content === "docs") {
    const stem = stemName(path.slice(path.lastIndexOf("/") + 1)).toLowerCase()
    if (isRecordStem(stem)) return isAsked(RECORD_WORDS.join(" ")) ? 1 : 0
    return isAsked(DOCS_WORDS) ? 1 : DOCS
  }
  if ((flags & NOT_WRITTEN_HERE) !== 0) return NOT_OURS
  return (flags & FILE_FLAG.test) !== 0 && !isAsked(TEST_WORDS) ? TEST : 1
}

const MOST_CHANGES = 3
const LONGEST_CHANGE = 100

/** Of lines of a commit: neither ever changes. */
const known = new LRUCache<string, Promise<readonly LineChange[]>>({ max: 500 })
const boundaries = new LRUCache<string, Promise<string | null | undefined>>({ max: 20 })

/** The latest commits of each file's best place, a line each; empty where git does not say. */
async function recentChanges(files: readonly FoundFile[]): Promise<readonly string[][]> {
  return Promise.all(files.map(changesOf))
}

async function changesOf(file: FoundFile): Promise<string[]> {
  const { root } = file.project
  const workTree = findWorkTree(root)
  const head = workTree === null ? null : headCommit(workTree)
  const row = file.graph.store.files.byPath(file.path)
  if (head === null || row === null) return []
  // Lines of a file that was edited are not those of the commit.
  if (filesNotCommitted(root, [{ path: row.path, size: row.size, mtimeMs: row.mtimeMs }]).length > 0)
    return ["edited since the last commit"]
  const since = await remembered(boundaries, `${root}\0${head}`, () => recentSince(root, head))
  if (since === undefined) return []
  const { startLine, endLine } = file.best
  const place = { path: file.path, startLine, endLine }
  const changes = await remembered(known, [root, head, file.path, startLine, endLine].join("\0"), () =>
    lineHistory(root, place, { head, since, limit: MOST_CHANGES }),
  )
  // Where all of the past was looked at, the first of them made the lines.
  const isMaking = since === null && changes.length < MOST_CHANGES
  return changes
    .slice(0, isMaking ? -1 : undefined)
    .map(({ date, commit, subject }) => oneLine(`${date} ${commit} ${subject}`, LONGEST_CHANGE))
}

function remembered<T>(cache: LRUCache<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  let found = cache.get(key)
  if (found === undefined) {
    found = make()
    cache.set(key, found)
  }
  return found
}
