import { AmanError } from "../base/index.ts"
import type { SearchSources } from "../index/index.ts"
import { lastName, type Store } from "../store/index.ts"
import { isDocument, queryTerms, wordsLeftOut } from "../text/index.ts"
import type { SearchOptions } from "./options.ts"
import { matchingLines, type TextPattern, textPattern } from "./patterns/text-pattern.ts"
import {
  createFilter,
  type FileFilter,
  type FilterName,
  type FilterRequest,
  filesByWord,
  filtersGiven,
  quoted,
  whyNothing,
} from "./query/filter.ts"
import { type GrepPattern, type PatternAlternative, readPattern } from "./query/grep-pattern.ts"
import {
  likeTarget,
  NO_OPERATORS,
  type Operators,
  type PhraseCheck,
  parseOperators,
  phraseCheck,
  type ReadText,
} from "./query/operators.ts"
import { headAndTail, MAX_HEAD, MAX_TAIL } from "./query/query.ts"
import { type CorrectedQuery, correctSpelling, dictionaryOf, unknownWordsOf } from "./query/spelling.ts"
import { type FoundFile, type RankedFiles, rankCandidates } from "./rank-candidates.ts"

type QueryRequest = FilterRequest &
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
    /** Notices of the user's search program, which follow those of the search. */
    readonly notices?: readonly string[]
  }

/** The result of a search, with notices about how it was found. */
export type QueryAnswer = RankedFiles & {
  readonly notices: readonly string[]
  /** When no file was found: the parts of the query that excluded all files; otherwise empty. */
  readonly whyNothing: readonly string[]
  /** With `correctable`: the words of the query that the index does not contain. */
  readonly unknownWords: readonly string[]
}

/**
 * Runs a query as the user typed it: operators select the files, words decide their order. If they leave no file, a
 * phrase is searched for in the text of every file that the other operators leave. If that finds nothing either, the
 * search is repeated without the operators; of a phrase the words remain.
 */
export async function searchQuery(sources: SearchSources, request: QueryRequest): Promise<QueryAnswer> {
  const { text, notices } = withinLimit(request.query)
  const typed = operatorsOf(text, request)
  const dictionary = dictionaryOf(sources, request.readText)
  const pattern = patternIn(sources.store, typed, request)
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
      ? await attempt(sources, request, operators)
      : await searchPattern(sources, request, operators, pattern)
  const described = (
    answer: RankedFiles,
    more: readonly string[] = [],
    whyNothing: readonly string[] = [],
  ) => ({
    ...answer,
    ...{ notices: [...allNotices, ...more, ...(request.notices ?? [])], whyNothing, unknownWords },
  })
  if (!found.isEmpty || request.isEstimate) return described(found)
  const withoutOperators = (dropped: readonly string[]) => ({
    ...operatorsOf(text, request, dropped),
    text: respelled.text,
  })
  // The index contains only whole words. Punctuation and parts of words are found by reading the files.
  const byText =
    operators.wanted.phrases.length > 0
      ? await attempt(sources, request, operators, { everyFile: true })
      : found
  if (!byText.isEmpty) return described(byText)
  const wider = request.keepsOperators
    ? null
    : await attemptWithout(sources, request, operators, withoutOperators)
  if (wider !== null) return described(wider.found, [wider.notice])
  const emptying = await emptyingFilters(sources, request, operators)
  return described(byText, [], whyNothing(operators, request, sources, emptying))
}

function operatorsOf(text: string, request: QueryRequest, without: readonly string[] = []): Operators {
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
 * order: by the words of the phrases, without one operator at a time, without all operators. Without any word the
 * operators stay, and words of phrases must occur. Null when no attempt finds anything.
 */
async function attemptWithout(
  sources: SearchSources,
  request: QueryRequest,
  { applied, hasWords, wanted: { phrases } }: Operators,
  withoutOperators: (dropped: readonly string[]) => Operators,
): Promise<{ readonly found: RankedFiles; readonly notice: string } | null> {
  const filters = applied.filter((raw) => !raw.startsWith("like:"))
  if (filters.length === 0) return null
  // In a question, quotation marks are more often emphasis than a request for the exact phrase.
  const quotations = filters.filter((raw) => raw.startsWith('"'))
  if (quotations.length > 0) {
    const found = await attempt(sources, request, withoutOperators(quotations))
    const notice = `nothing contains ${quoted(phrases)}; searched for its words`
    if (!found.isEmpty && (hasWords || found.hasMatch)) return { found, notice }
  }
  if (!hasWords) return null
  const notice = (dropped: readonly string[]) =>
    `nothing found with ${dropped.join(" ")}; searched without ${dropped.length === 1 ? "it" : "them"}`
  const widest = await attempt(sources, request, withoutOperators(filters))
  if (widest.isEmpty) return null
  for (const operator of filters.length === 1 ? [] : filters.slice(0, MAX_TRIED)) {
    const found = await attempt(sources, request, withoutOperators([operator]))
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
  request: QueryRequest,
  operators: Operators,
): Promise<readonly FilterName[]> {
  const emptying: FilterName[] = []
  for (const name of filtersGiven(request)) {
    const found = await attempt(sources, { ...request, [name]: name === "content" ? "all" : [] }, operators)
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

type AttemptOptions = {
  /** True to make every file that the filters accept a candidate. */
  readonly everyFile?: boolean
  /** Limits the search to the files that contain these identifiers and pass the check. */
  readonly among?: { readonly check: PhraseCheck; readonly identifiers: readonly string[] } | undefined
}

/** One search: the operators and filters select the files, the text decides their order. */
async function attempt(
  sources: SearchSources,
  request: QueryRequest,
  operators: Operators,
  { everyFile = false, among }: AttemptOptions = {},
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
  return rankCandidates(sources, text, {
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

/*
 * Answers a query that has the form of a grep pattern (query/grep-pattern.ts). Each alternative is searched twice: among
 * the files that match the pattern, and by its words. The lists are merged by rank: definitions that match, other
 * definitions of the name, files that match, files that only share words.
 */

/**
 * The pattern that the words of a query are; null if they are none, as `class X` where nothing of this kind has the name,
 * and for what patterns have no part in.
 */
function patternIn(
  store: Store,
  { text, like, wanted }: Operators,
  request: QueryRequest,
): GrepPattern | null {
  const isOther = request.like !== undefined || like !== null || request.mode === "semantic"
  if (isOther || wanted.phrases.length + wanted.symbols.length > 0) return null
  const pattern = readPattern(text)
  if (pattern === null || pattern.hasSyntax) return pattern
  return pattern.alternatives.every(({ name }) => name !== null && isDefined(store, name)) ? pattern : null
}

function isDefined(store: Store, name: string): boolean {
  return store.symbols
    .findByFolded(name)
    .some((row) => DEFINED_KINDS.has(row.kind) && lastName(row.name) === name)
}

const DEFINED_KINDS: ReadonlySet<string> = new Set(
  "function method class interface struct enum trait type module macro component constant".split(" "),
)

/**
 * The files of each alternative's two searches, merged by rank. The files that are tested against the pattern are read; the
 * characters that are tested are limited.
 */
async function searchPattern(
  sources: SearchSources,
  request: QueryRequest,
  operators: Operators,
  pattern: GrepPattern,
): Promise<RankedFiles> {
  if (request.isEstimate) return attempt(sources, request, { ...operators, text: pattern.text })
  const { store } = sources
  const { offset = 0, limit, readText } = request
  const find = (text: string, among?: AttemptOptions["among"]) =>
    attempt(sources, { ...request, offset: 0, limit: offset + limit + 1 }, { ...operators, text }, { among })
  const compiled = await compiledPattern(pattern)
  const end = offset + limit
  const check = compiled === null ? null : new PatternCheck(store, compiled, readText)
  const groups: FoundFile[][][] = [[], [], [], []]
  const answers: RankedFiles[] = []
  for (const alternative of pattern.alternatives) {
    const { text, identifiers } = alternative
    const matching = check === null ? null : await find(text, { check: check.accept, identifiers })
    const byWords = await find(text)
    for (const [at, files] of grouped(alternative, matching?.files ?? [], byWords.files).entries())
      groups[at]!.push(files)
    answers.push(...(matching === null ? [] : [matching]), byWords)
  }
  const merged = [...new Map(groups.flatMap(interleaved).map((file) => [file.id, file])).values()]
  const files = merged.map((file, at) => placed(file, at, check?.linesOf(file.id) ?? [])).slice(offset, end)
  const first = answers.find(({ isEmpty }) => !isEmpty) ?? answers[0]!
  return {
    ...first,
    files,
    hasMatch: answers.some(({ hasMatch }) => hasMatch),
    hasMore: merged.length > end,
    isEmpty: merged.length === 0,
    isByFeatures: false,
    liftsPage: false,
  }
}

/** The compiled pattern; null if it is no valid regular expression, so that only its words count. */
async function compiledPattern({ regex }: GrepPattern): Promise<TextPattern | null> {
  try {
    return await textPattern({ pattern: regex, mode: "regex", ignoreCase: false, wholeWord: false })
  } catch (error) {
    if (error instanceof AmanError) return null
    throw error
  }
}

/** Maximum number of characters that are tested, for a small pattern; fewer for a large one. */
const MAX_CHARACTERS = 8_000_000
/** Maximum number of blocks (`TextPattern.block`) that are tested: 3·10⁸ steps. */
const MAX_BLOCKS = 150
/** Maximum number of files that are read. */
const MAX_READ = 400
/** Maximum number of matching lines of a file whose chunks may be shown. */
const MAX_LINES = 20

/** Tests files against a pattern, each once. Accepts no further file once the limits are reached. */
class PatternCheck {
  readonly #store: Store
  readonly #pattern: TextPattern
  readonly #readText: ReadText
  /** Matching lines by file id. */
  readonly #lines = new Map<number, readonly number[]>()
  #left: number

  constructor(store: Store, pattern: TextPattern, readText: ReadText) {
    this.#store = store
    this.#pattern = pattern
    this.#readText = readText
    this.#left = Math.min(MAX_CHARACTERS, pattern.block * MAX_BLOCKS)
  }

  /** The chunks of a file that have a line which matches; null if no line does. */
  readonly accept: PhraseCheck = (fileId, path) => {
    if (!this.#lines.has(fileId)) this.#lines.set(fileId, this.#matching(path))
    const matching = this.linesOf(fileId)
    if (matching.length === 0) return null
    const chunks = this.#store.chunks.ofFile(fileId)
    const holding = chunks.filter(({ startLine, endLine }) =>
      matching.some((line) => line >= startLine && line <= endLine),
    )
    return new Set((holding.length > 0 ? holding : chunks).map(({ ordinal }) => ordinal))
  }

  linesOf(fileId: number): readonly number[] {
    return this.#lines.get(fileId) ?? []
  }

  #matching(path: string): readonly number[] {
    if (this.#left <= 0 || this.#lines.size >= MAX_READ || isDocument(path)) return []
    const text = this.#readText(path)?.slice(0, this.#left) ?? ""
    this.#left -= text.length
    const { lines } = matchingLines(text, this.#pattern, LINE_OPTIONS)
    return lines().map(({ line }) => line)
  }
}

const LINE_OPTIONS = {
  ...{ invert: false, before: 0, after: 0, withSpans: false, maxCount: MAX_LINES },
  isOver: () => false,
}

/** The files of one alternative in the four groups, each in the order of its rank. */
function grouped(
  { name }: PatternAlternative,
  matching: readonly FoundFile[],
  byWords: readonly FoundFile[],
): FoundFile[][] {
  const ids = new Set(matching.map(({ id }) => id))
  const others = byWords.filter(({ id }) => !ids.has(id))
  if (name === null) return [[...matching], [], [], others]
  const isDefining = ({ ranked }: FoundFile) => ranked.candidate.exact > 0
  const [definitions, uses] = split(matching, isDefining)
  const [otherDefinitions, rest] = split(others, isDefining)
  return [definitions, otherDefinitions, uses, rest]
}

function split(files: readonly FoundFile[], is: (file: FoundFile) => boolean): [FoundFile[], FoundFile[]] {
  return [files.filter(is), files.filter((file) => !is(file))]
}

/** The first of each list, then the second of each, and so on. */
function interleaved(lists: readonly (readonly FoundFile[])[]): FoundFile[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list[at] ?? [])).flat()
}

/** How much less likely than the one before it a file of the merged list is taken to be. */
const STEP = 0.1

/** The file at a position of the merged list, whose sum and score follow the position alone. */
function placed(file: FoundFile, at: number, matchingLines: readonly number[]): FoundFile {
  const sum = -at * STEP
  const { places: _, ...rest } = Object.getOwnPropertyDescriptors(file)
  const copy = Object.defineProperties({}, rest) as Omit<FoundFile, "places">
  const get = {
    get places() {
      return file.places
    },
  }
  return Object.assign(get, copy, { matchingLines, score: Math.exp(sum), ranked: { ...file.ranked, sum } })
}
