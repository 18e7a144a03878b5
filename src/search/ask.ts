import { queryTerms, wordsLeftOut } from "../text/terms/query-terms.ts"
import { findByPattern, patternIn } from "./ask-pattern.ts"
import { filesByWord } from "./channels/files-by-word.ts"
import type { SearchOptions } from "./options.ts"
import { createFilter, type FileFilter, type FilterRequest } from "./query/filter.ts"
import type { GrepPattern } from "./query/grep-pattern.ts"
import { likeTarget } from "./query/like-operator.ts"
import { NO_OPERATORS, type Operators, parseOperators } from "./query/operators.ts"
import { headAndTail, MAX_HEAD, MAX_TAIL } from "./query/pasted-text.ts"
import { type PhraseCheck, phraseCheck, type ReadText } from "./query/phrases.ts"
import { type CorrectedQuery, correctSpelling, dictionaryOf, unknownWordsOf } from "./query/spelling.ts"
import { type FilterName, filtersGiven, quoted, whyNothing } from "./query/why-nothing.ts"
import { type RankedFiles, search } from "./search.ts"
import type { SearchSources } from "./sources.ts"

export type EngineRequest = FilterRequest &
  Omit<SearchOptions, "filter" | "phrases" | "symbols" | "likeness" | "everyFile"> & {
    /** The query as typed, including operators. */
    readonly query: string
    /** True to search for text that looks like an operator instead of applying the operator. */
    readonly isPlain?: boolean | undefined
    /**
     * True when the query was given by a flag (-e). Its operators then apply at any length, provided that it is one
     * line.
     */
    readonly isTyped?: boolean | undefined
    /**
     * True to keep operators that leave no result. Set by callers that also search other indexes, where the operators
     * may match.
     */
    readonly keepsOperators?: boolean | undefined
    readonly like?: string | undefined
    /** Says which paths a filter may name; absent: those relative to the project root. */
    readonly pathRule?: string
    /**
     * Words that may be corrected if the index lacks them; absent: all. A search of several indexes names those that no
     * index contains.
     */
    readonly correctable?: readonly string[] | undefined
    readonly readText: ReadText
  }

/** The result of a search, with notices about how it was found. */
export type EngineAnswer = RankedFiles & {
  readonly notices: readonly string[]
  /** When no file was found: the parts of the query that excluded all files; otherwise empty. */
  readonly whyNothing: readonly string[]
  /** With `correctable`: the words of the query that the index does not contain. */
  readonly unknownWords: readonly string[]
}

/**
 * Runs a query as the user typed it: operators select the files, words decide their order. If the operators leave no
 * file, the search is repeated without them. If that finds nothing either and the query has a phrase, the search is
 * repeated over the text of every file that the operators leave.
 */
export async function ask(sources: SearchSources, request: EngineRequest): Promise<EngineAnswer> {
  const { text, notices } = withinLimit(request.query)
  const typed = operatorsOf(text, request)
  const dictionary = dictionaryOf(sources, request.readText)
  const pattern = patternOf(sources, typed, request)
  const respelled =
    request.correctable?.length === 0 || pattern !== null
      ? { text: typed.text, changes: [] }
      : correctSpelling(typed.text, dictionary, request.correctable)
  const unknownWords = request.correctable === undefined ? [] : unknownWordsOf(typed.text, dictionary)
  const operators = { ...typed, text: respelled.text }
  const allNotices = [
    ...notices,
    ...typed.notices,
    ...(request.isEstimate ? [] : omittedWordsNotice(typed.text)),
    ...respellingNotices(respelled),
    ...(request.isEstimate ? [] : unknownNamesNotice(request.names ?? [], sources)),
  ]
  const found =
    pattern === null
      ? await find(sources, request, operators)
      : await findPattern(sources, request, operators, pattern)
  const described = (answer: RankedFiles, more: readonly string[] = []) => ({
    ...answer,
    ...{ notices: [...allNotices, ...more], whyNothing: [], unknownWords },
  })
  if (!found.isEmpty || request.isEstimate) return described(found)
  const withoutOperators = (dropped: readonly string[]) => ({
    ...operatorsOf(text, request, dropped),
    text: respelled.text,
  })
  // Removing the operators from a query that has nothing else leaves no words to search for.
  const wider =
    operators.hasWords && !request.keepsOperators
      ? await findWithout(sources, request, operators, withoutOperators)
      : null
  if (wider !== null) return described(wider.found, [wider.notice])
  // The index contains only whole words. Punctuation and parts of words are found by reading the files.
  const byText =
    operators.wanted.phrases.length > 0 ? await find(sources, request, operators, { everyFile: true }) : found
  if (!byText.isEmpty) return described(byText)
  const emptying = await emptyingFilters(sources, request, operators)
  return { ...described(byText), whyNothing: whyNothing(operators, request, sources, emptying) }
}

/** The pattern that the words of a query are; null if they are none, and for what patterns have no part in. */
function patternOf(
  { store }: SearchSources,
  { text, like, wanted }: Operators,
  request: EngineRequest,
): GrepPattern | null {
  const isOther = request.like !== undefined || like !== null || request.mode === "semantic"
  return isOther || wanted.phrases.length + wanted.symbols.length > 0 ? null : patternIn(store, text)
}

function findPattern(
  sources: SearchSources,
  request: EngineRequest,
  operators: Operators,
  pattern: GrepPattern,
): Promise<RankedFiles> {
  if (request.isEstimate) return find(sources, request, { ...operators, text: pattern.text })
  const { offset = 0, limit } = request
  return findByPattern(sources.store, pattern, { offset, limit }, request.readText, (text, max, among) =>
    find(sources, { ...request, offset: 0, limit: max }, { ...operators, text }, { among }),
  )
}

function operatorsOf(text: string, request: EngineRequest, without: readonly string[] = []): Operators {
  if (request.isPlain) return { ...NO_OPERATORS, text }
  const key = JSON.stringify([text, request.isTyped, without])
  if (lastOperators?.key !== key)
    lastOperators = { key, operators: parseOperators(text, { isTyped: request.isTyped, without }) }
  return lastOperators.operators
}

/** The operators that were parsed last. They are kept, because a question is asked of many indexes. */
let lastOperators: { readonly key: string; readonly operators: Operators } | null = null

/**
 * Repeats the search without the operators that leave no result, and returns the first result found. Attempts, in
 * order: without the phrases, without one operator at a time, without all operators. Null when no attempt finds
 * anything.
 */
async function findWithout(
  sources: SearchSources,
  request: EngineRequest,
  { applied, wanted: { phrases } }: Operators,
  withoutOperators: (dropped: readonly string[]) => Operators,
): Promise<{ readonly found: RankedFiles; readonly notice: string } | null> {
  const filters = applied.filter((raw) => !raw.startsWith("like:"))
  if (filters.length === 0) return null
  // In a question, quotation marks are more often emphasis than a request for the exact phrase.
  const quotations = filters.filter((raw) => raw.startsWith('"'))
  if (quotations.length > 0) {
    const found = await find(sources, request, withoutOperators(quotations))
    const notice = `nothing contains ${quoted(phrases)}; searched for its words`
    if (!found.isEmpty) return { found, notice }
  }
  const notice = (dropped: readonly string[]) =>
    `nothing found with ${dropped.join(" ")}; searched without ${dropped.length === 1 ? "it" : "them"}`
  const widest = await find(sources, request, withoutOperators(filters))
  if (widest.isEmpty) return null
  for (const operator of filters.length === 1 ? [] : filters.slice(0, MAX_TRIED)) {
    const found = await find(sources, request, withoutOperators([operator]))
    if (!found.isEmpty) return { found, notice: notice([operator]) }
  }
  return { found: widest, notice: notice(filters) }
}

/** Maximum number of operators that are removed one at a time, because each attempt is a search. */
const MAX_TRIED = 8

/**
 * The filters of the request that exclude every result: removing any one of them gives a result. Called only when the
 * search found nothing.
 */
async function emptyingFilters(
  sources: SearchSources,
  request: EngineRequest,
  operators: Operators,
): Promise<readonly FilterName[]> {
  const emptying: FilterName[] = []
  for (const name of filtersGiven(request)) {
    const found = await find(sources, { ...request, [name]: name === "content" ? "all" : [] }, operators)
    if (!found.isEmpty) emptying.push(name)
  }
  return emptying
}

function withinLimit(query: string): { readonly text: string; readonly notices: readonly string[] } {
  const text = headAndTail(query)
  if (text === query) return { text, notices: [] }
  const notice = `the query has ${query.length} characters; only the first ${MAX_HEAD} and the last ${MAX_TAIL} were searched for`
  return { text, notices: [notice] }
}

function respellingNotices({ changes }: CorrectedQuery): string[] {
  return changes.map(([from, to]) => `nothing contains \`${from}\`; searched for \`${to}\``)
}

function omittedWordsNotice(text: string): string[] {
  const omitted = wordsLeftOut(text)
  return omitted === 0
    ? []
    : [`the query has many words; the ${omitted} that tell least count for its meaning only`]
}

/** Says which guessed names occur nowhere, if at least half do: it is then time to guess others. */
function unknownNamesNotice(names: readonly string[], { keyword }: SearchSources): string[] {
  const isUnknown = (name: string) =>
    queryTerms(name).every(({ variants }) =>
      variants.every(({ hash }) => keyword.estimate(Number(hash >> 32n), Number(hash & 0xffff_ffffn)) === 0),
    )
  const given = names.filter((name) => name.trim() !== "")
  const unknown = given.filter(isUnknown)
  if (unknown.length === 0 || 2 * unknown.length < given.length) return []
  return [`nothing contains ${unknown.slice(0, MAX_NAMED).join(", ")}: guess other names`]
}

/** Maximum number of unknown names that a notice lists. */
const MAX_NAMED = 5

type FindOptions = {
  /** True to make every file that the filters accept a candidate. */
  readonly everyFile?: boolean
  /** Limits the search to the files that contain these identifiers and pass the check. */
  readonly among?: { readonly check: PhraseCheck; readonly identifiers: readonly string[] } | undefined
}

async function find(
  sources: SearchSources,
  request: EngineRequest,
  operators: Operators,
  { everyFile = false, among }: FindOptions = {},
): Promise<RankedFiles> {
  const { store } = sources
  const holders = filesByWord(sources)
  const like = request.like ?? operators.like
  const likeness = like === null ? null : likeTarget(sources, like, request.readText)
  const text = likeness === null ? operators.text : `${likeness.text} ${operators.text}`.trim()
  const filter = createFilter(
    store,
    request,
    operators,
    everyFile ? { ...holders, ofPhrase: () => [] } : holders,
    likeness,
    sources.facts,
  )
  const phrases = phraseCheck(store, operators, request.readText)
  return search(sources, text, {
    ...request,
    likeness,
    everyFile,
    symbols: operators.wanted.symbols,
    filter: among === undefined ? filter : limitedTo(filter, holders.ofNames(among.identifiers)),
    phrases: among === undefined ? phrases : bothChecks(among.check, phrases),
  })
}

function limitedTo(filter: FileFilter, ids: ReadonlySet<number> | null): FileFilter {
  const { accept = () => true } = filter
  return ids === null ? filter : { ...filter, accept: (file) => ids.has(file.id) && accept(file) }
}

/** The chunks that the first check returns, of the files that the second one accepts. */
function bothChecks(first: PhraseCheck, second: PhraseCheck | null): PhraseCheck {
  return second === null ? first : (id, path) => (second(id, path) === null ? null : first(id, path))
}
