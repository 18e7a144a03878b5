import type { KeywordAnswer, QueryTerm } from "../../index/index.ts"
import { foldName } from "../../store/index.ts"
import {
  compoundOf,
  hashTerm,
  MAX_QUERY_TERMS,
  type Passage,
  queryTerms,
  termOf,
  words,
} from "../../text/index.ts"

export type QueriedName = {
  /** The name as typed, with its qualifier: User.greet. */
  readonly name: string
  /** Last part of the qualifier (User in User.greet); null if there is no qualifier. */
  readonly owner: string | null
  /** The name without its qualifier, as typed. `folded` contains only its letters and digits, in lower case. */
  readonly last: string
  readonly folded: string
}

/** A parsed query. It is parsed once and used by all later steps. */
export type ParsedQuery = {
  readonly text: string
  readonly classification: Classification
  /**
   * First the words that count in scoring (their number is `scored`), then one term per name. The term of a name has no
   * weight; it only marks where the name occurs.
   */
  readonly terms: readonly QueryTerm[]
  readonly scored: number
  /** The words that count in scoring, as typed but in lower case, and stemmed. */
  readonly words: readonly string[]
  readonly stems: readonly string[]
  /** The stems of the words, and compounds of neighbouring words. The words of paths are compared with these. */
  readonly forms: ReadonlySet<string>
  /** The stems of the words, and of those in `beside`: words that may ask for a kind of file, such as tests. */
  readonly asking: ReadonlySet<string>
  readonly names: readonly QueriedName[]
  readonly looksLikeSymbol: boolean
  readonly kind: QueryKind
  /** True for a task that may also be a question. Its ranking uses a mixture of the weights for both. */
  readonly isUnsure: boolean
  /** True for guessed names, which are ranked with weights of their own. */
  readonly isGuessed: boolean
}

/** Maximum number of names. Term masks have 32 bits, and MAX_QUERY_TERMS of them are for words. */
const MAX_NAMES = 31 - MAX_QUERY_TERMS

/** Options for parsing a query. */
type QueryParseOptions = {
  /** True to keep stop words. */
  readonly everyWord?: boolean | undefined
  /** True if the text consists of names that the caller guessed. */
  readonly isGuessed?: boolean | undefined
  /** Names to search for in addition to those in the text. */
  readonly names?: readonly string[] | undefined
  /** Texts that are not searched for but may ask for a kind of file: the question beside guessed names, wanted paths. */
  readonly beside?: readonly string[] | undefined
  /** Returns the inverse document frequency of a term, which decides which words of a long text are searched for. */
  readonly rarity?: ((hash: bigint) => number) | undefined
}

/**
 * Parses a query: its class, kind, words, and the names it may refer to. The last result is kept, because a question
 * about several repositories is parsed for each of them.
 */
export function parseQuery(text: string, reading: QueryParseOptions = {}): ParsedQuery {
  const { everyWord = false, isGuessed = false, names = [], beside = [] } = reading
  const key = JSON.stringify([text, everyWord, isGuessed, names, beside])
  if (lastParsed?.key === key) return lastParsed.query
  const query = parsed(text, reading)
  // Of a longer query, each index chooses the words that are rarest in it.
  if (query.scored < MAX_QUERY_TERMS) lastParsed = { key, query }
  return query
}

let lastParsed: { readonly key: string; readonly query: ParsedQuery } | null = null

function parsed(text: string, reading: QueryParseOptions): ParsedQuery {
  const { isGuessed = false, beside = [] } = reading
  const passages = isGuessed ? [{ text, weight: 1 }] : passagesOf(text)
  const scoring = queryTerms(passages, reading)
  const names = givenNames(reading.names ?? [], passages).slice(0, MAX_NAMES)
  const mentions = names.map((name) => ({ variants: [{ hash: hashTerm(compoundOf(name.last)), weight: 0 }] }))
  return {
    text,
    classification: classify(text),
    terms: [...scoring.map(({ variants, weight }) => ({ variants, weight })), ...mentions],
    scored: scoring.length,
    words: scoring.map(({ word }) => word),
    stems: scoring.map((word) => word.stem),
    asking: new Set([...scoring.map((word) => word.stem), ...beside.flatMap(words).map(termOf)]),
    forms: new Set(scoring.flatMap((word) => word.forms)),
    names: names.map((name) => ({ ...name, folded: foldName(name.last) })),
    looksLikeSymbol: !isGuessed && looksLikeSymbol(text),
    kind: isGuessed ? "question" : queryKind(text),
    isUnsure: !isGuessed && isUnsureTask(text),
    isGuessed,
  }
}

/** The names given by the caller, then the names in the passages, those with the highest weight first. */
function givenNames(given: readonly string[], passages: readonly Passage[]): Identifier[] {
  const byWeight = [...passages].sort((a, b) => b.weight - a.weight)
  const names = [...given.flatMap(identifiersOf), ...byWeight.flatMap(namesInPassage)]
  return [...new Map(names.map((name) => [name.name, name])).values()]
}

/**
 * The names in a passage. Outside the title only identifiers count as names: there, a capital letter begins a sentence
 * as often as a name, and a path is no route.
 */
function namesInPassage({ text, weight }: Passage): Identifier[] {
  const names = identifiersOf(text)
  if (weight === 1 || !/\s/u.test(text.trim())) return names
  return names.filter(({ name }) => isIdentifierLike(name) && !name.startsWith("/"))
}

/**
 * Numbers of one query by which scores and IDF sums are divided, so that they become shares from 0 to 1. A mask has a
 * bit for each word of the query.
 */
export type Scale = {
  readonly query: ParsedQuery
  readonly answer: KeywordAnswer
  readonly idfSum: number
  readonly chunkIdfSum: number
  /**
   * How much the words of the query differ from the words that the project uses, 0 to 1; see `strangenessOf`. 0 for the
   * name of a symbol, and if one path consists of words of the query and one doc comment contains all words of the
   * query. Absent counts as 0.
   */
  readonly strangeness?: number
  /** The highest `exactWords` of all candidates; absent if no texts were read. */
  readonly maxExactWords?: number
  /**
   * For each set of the query's words (index: the set's bit mask), its share of the query's total weight. Computed in
   * advance for queries of at most MAX_TABLED_TERMS words, because it is read thousands of times.
   */
  readonly coverages?: Float64Array
}

/** Added to divisors that may be 0. */
export const EPSILON = 1e-6

export function scaleOf(query: ParsedQuery, answer: KeywordAnswer): Scale {
  let idfSum = EPSILON
  let chunkIdfSum = EPSILON
  for (let term = 0; term < query.scored; term++) {
    idfSum += answer.fileIdf[term]!
    chunkIdfSum += answer.chunkIdf[term]!
  }
  const scale = { query, answer, idfSum, chunkIdfSum }
  return query.scored > MAX_TABLED_TERMS ? scale : { ...scale, coverages: allCoverages(scale) }
}

const MAX_TABLED_TERMS = 10

/** The coverage of every possible mask. Each is computed from that of the mask without its highest bit. */
function allCoverages({ query, answer, idfSum }: Scale): Float64Array {
  const sums = new Float64Array(1 << query.scored)
  for (let mask = 1; mask < sums.length; mask++) {
    const last = 31 - Math.clz32(mask)
    sums[mask] = sums[mask ^ (1 << last)]! + answer.fileIdf[last]!
  }
  return sums.map((sum) => sum / idfSum)
}

/** Share of the query's summed IDF that the terms in a mask have, 0 to 1. */
export function coverage(mask: number, scale: Scale): number {
  const { coverages } = scale
  if (coverages !== undefined) return coverages[mask & (coverages.length - 1)]!
  let sum = 0
  for (let term = 0; term < scale.query.scored; term++) {
    if ((mask >>> term) & 1) sum += scale.answer.fileIdf[term]!
  }
  return sum / scale.idfSum
}

/**
 * Weights of the kinds of parts in a pasted text: how much a word in such a part says about the code that is meant. The
 * title names the subject; logs, version numbers and the headings of a form are in every report. Measured on mined
 * tasks: docs/decisions/figures.md.
 */
const WEIGHTS = { title: 1, name: 0.7, error: 0.7, prose: 0.4, frame: 0.3, code: 0.3, aside: 0.05 } as const

type PastedPart = keyof typeof WEIGHTS

/**
 * Number of characters read from the start of a text that is longer than MAX_HEAD + MAX_TAIL: a pasted file or log,
 * whose start names the subject. The limits bound the time of a query.
 */
export const MAX_HEAD = 7_000
/** Number of characters read from the end of such a long text, where the error message is. */
export const MAX_TAIL = 3_000

/**
 * The text that is searched for: the whole text, or the start and the end of a text longer than MAX_HEAD + MAX_TAIL.
 */
export function headAndTail(text: string): string {
  if (text.length <= MAX_HEAD + MAX_TAIL) return text
  return `${text.slice(0, MAX_HEAD)}\n${text.slice(-MAX_TAIL)}`
}

/**
 * The text without what trackers and commits add to it: trailers (Signed-off-by, Co-authored-by) and references to issues
 * and pull requests (Closes #12, (#45)). Unchanged if nothing else is in it.
 */
export function withoutReferences(text: string): string {
  const rest = text.replace(TRAILER, "").replace(REFERENCE, " ")
  return /[\p{L}\p{N}]/u.test(rest) ? rest : text
}

const TRAILER =
  /(?<=^|\s)(?:co-authored|co-developed|signed-off|reviewed|acked|tested|reported|suggested|helped|approved)-by:[^\n\r]*|^[ \t]*(?:change-id|git-svn-id):[^\n\r]*|\(cherry picked from commit [\da-f]+\)/gim
const ISSUE =
  "(?:[\\w.-]{1,100}\\/[\\w.-]{1,100})?#\\d{1,8}|GH-\\d{1,8}|https?:\\/\\/[^\\s)]{1,300}\\/(?:issues|pull|merge_requests)\\/\\d{1,8}"
const REFERENCE = new RegExp(
  `\\((?:${ISSUE})(?:,\\s*(?:${ISSUE}))*\\)|\\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|refs?|references|see|part of|related to)[ \\t]*:?[ \\t]+(?:issues?[ \\t]+)?(?:${ISSUE})(?:(?:,|[ \\t]and)[ \\t]*(?:${ISSUE}))*[.:]?`,
  "gi",
)

/**
 * Maximum number of characters read of a line, which bounds the work for a minified file. This many characters contain
 * more words than a query uses.
 */
const MAX_LINE = 2_000
/** Maximum length of a title. In a text of one line, the first sentence is the title if it is not longer. */
const MAX_TITLE = 200

/**
 * Splits a query into passages with weights. A query of one short line is one passage of weight 1. In a longer text,
 * the first line or sentence is the title, and every other line is classified by its form.
 */
export function passagesOf(query: string): Passage[] {
  const text = withoutReferences(query.replace(/<!--[\s\S]{0,5000}?-->/g, " ")).trim()
  const { title, rest } = titleOf(text)
  if (rest === "") return [{ text: title, weight: WEIGHTS.title }]
  const passages: Passage[] = [{ text: title, weight: WEIGHTS.title }]
  const add = (part: PastedPart, line: string) => passages.push({ text: line, weight: WEIGHTS[part] })
  for (const { part, line } of classifiedLines(rest)) {
    add(part, line)
    if (part === "prose") for (const name of namesInLine(line)) add("name", name)
  }
  return passages
}

/**
 * The title of a text: the first line that is a sentence or an error message, not the heading of a form, a frame of a
 * trace or a log line. Of a long line, only the first sentence. If the text is only a stack trace, its error message is
 * the title.
 */
function titleOf(text: string): { readonly title: string; readonly rest: string } {
  const lines = text.split(/\r\n?|\n/)
  const found = lines.findIndex((line) => TITLE_PARTS.has(classifyLine(line.slice(0, MAX_LINE), false)))
  const at = Math.max(0, found)
  const line = lines[at]!.trim()
  const rest = [...lines.slice(0, at), ...lines.slice(at + 1)].join("\n").trimEnd()
  if (line.length <= MAX_TITLE) return { title: line, rest }
  const end = /[.!?:](?=\s)/.exec(line.slice(0, MAX_TITLE))
  const cut = end === null ? line.lastIndexOf(" ", MAX_TITLE) : end.index + 1
  const length = cut <= 0 ? MAX_TITLE : cut
  return { title: line.slice(0, length), rest: `${line.slice(length).trim()}\n${rest}` }
}

const TITLE_PARTS: ReadonlySet<PastedPart | null> = new Set<PastedPart>(["prose", "error"])

function* classifiedLines(text: string): Generator<{ readonly part: PastedPart; readonly line: string }> {
  let isFenced = false
  let isAside = false
  for (const whole of text.split(/\r\n?|\n/)) {
    const line = whole.slice(0, MAX_LINE)
    if (FENCE.test(line)) {
      isFenced = !isFenced
      continue
    }
    if (!isFenced && HEADING.test(line)) isAside = ASIDE.test(line)
    const part = isAside ? "aside" : classifyLine(line, isFenced)
    if (part !== null) yield { part, line }
  }
}

function classifyLine(line: string, isFenced: boolean): PastedPart | null {
  if (!/[\p{L}\p{N}]/u.test(line)) return null
  if (FORM.test(line) || CHECKBOX.test(line) || VERSION.test(line)) return "aside"
  if (FRAME.test(line)) return "frame"
  if (ERROR.test(line)) return "error"
  if (LOG.test(line)) return "aside"
  return isFenced || INDENTED.test(line) ? "code" : "prose"
}

const FENCE = /^\s{0,3}(?:```|~~~)/
const HEADING = /^\s{0,3}(?:#{1,6}\s|\*\*[^*]+\*\*:?\s*$)/
const INDENTED = /^(?:\t| {4,})\S/

// Headings of the forms that issue trackers provide. They say nothing about the project.
const FORM =
  /^[\s#*_>-]*(?:steps to reproduce|how to reproduce|to reproduce|reproduction(?: steps)?|minimal repro\w*|expected (?:behaviou?r|results?|output)|(?:actual|current|observed) (?:behaviou?r|results?|output)|describe the (?:bug|issue|feature)|what happened|what (?:did )?you expect\w*.{0,20}|is your feature request.*|describe (?:the solution|alternatives).*|additional (?:context|information)|possible solution|checklist|bug report|feature request|problem(?: description)?|summary|description|motivation|background|context|environment|system info\w*|versions?|logs?|screenshots?|stack ?trace|traceback(?: \(most recent call last\))?)\s*[*_]*[:?]?\s*[*_]*$/i
const ASIDE =
  /environment|system|platform|version|setup|check ?list|screenshot|log output|related|your environment/i
const CHECKBOX = /^\s*[-*]\s*\[[ xX]\]/
const VERSION =
  /^[\s*_>-]*(?:os|platform|operating system|browser|python|node(?:\.js)?|npm|yarn|pnpm|java|jdk|go|rust\w*|cargo|ruby|php|\.net|kernel|arch\w*|version|[\w .-]{2,20} version)[*_]*\s*[:=]\s*[*_]*\s*\S{0,20}.{0,30}$/i
const LOG = /^\s*(?:\[?\d{4}-\d\d-\d\d|\[?\d\d:\d\d:\d\d|(?:\[)?(?:INFO|DEBUG|TRACE|WARN(?:ING)?|NOTICE)\b)/
// Frames of stack traces in Python, JavaScript, Java and C#, Go, Rust, PHP.
const FRAME =
  /^\s*(?:File "[^"]+", line \d+|at\s+\S.*[:(]|\S+\.go:\d+|\d+:\s+(?:0x[0-9a-f]+\s+-\s+)?\w+(?:::\w+)+|#\d+\s+\S|from \S+:\d+:in|\S+\.\w{1,4}:\d+(?::\d+)?:?\s)/
const ERROR =
  /^\s*(?:Caused by: |Uncaught |Unhandled |E\s{3})?(?:[\w.$]*(?:Error|Exception|Warning|Fault|Panic)\b.*:|(?:error|fatal|panic|fatal error|exception)(?:\[\w+\])?:|thread '.*' panicked)/i

/** Names of code in prose: in backticks, calls, and words with an inner capital, underscore or separator. */
function namesInLine(line: string): string[] {
  return (line.match(NAMES) ?? []).slice(0, 20)
}

const NAMES =
  /`[^`]{1,80}`|[\p{L}_$][\p{L}\p{N}_$]*(?:(?:::|->|[.#])[\p{L}_][\p{L}\p{N}_]*)+|[\p{L}_][\p{L}\p{N}_]*(?=\(\))|\p{L}+_[\p{L}\p{N}_]+|_[\p{L}\p{N}_]+|\p{Ll}+\p{Lu}[\p{L}\p{N}]*|\p{Lu}\p{Ll}+\p{Lu}[\p{L}\p{N}]*|--?\p{L}[\p{L}-]{2,}/gu

/**
 * What a query asks for. `name`: a symbol. `question`: where something is or how it works. `task`: the files to change,
 * for a change described in the words of an issue, a commit or a log.
 */
export type QueryKind = "name" | "question" | "task"

/** Determines the kind of a query from its wording alone, without an index. */
export function queryKind(query: string): QueryKind {
  const text = query.trim()
  if (looksLikeSymbol(text)) return "name"
  if (QUESTION.test(text) && !/[\n\r]/.test(text)) return "question"
  if (/[\n\r]/.test(text) || wordCount(text) > MAX_QUESTION_WORDS) return "task"
  if (SUBJECT.test(text)) return "task"
  const isTask = wordCount(text) >= MIN_TASK_WORDS && (PROBLEM.test(text) || TASK_BEGIN.test(text))
  return isTask ? "task" : "question"
}

/**
 * True for a query that `queryKind` calls a task but that may be a question: one line of plain words in the imperative
 * ("write a notebook as a plain script"). The text of a real task usually looks like the subject of a commit, with
 * names of code or an area before a colon ("parser: accept …").
 */
export function isUnsureTask(query: string): boolean {
  const text = query.trim()
  return queryKind(text) === "task" && !/[\n\r]/.test(text) && !AREA.test(text) && !CODE.test(text)
}

const AREA = /^(?:\[[^\]]{1,30}\]\s*)?[\w./@(){},*-]{1,40}(?:\s?[&,/]\s?[\w.-]{1,20})?!?:\s+\S/u
const CODE = /\p{Ll}\p{Lu}|[_`]|\(\)|::|\w\.\w|#\d/u

/**
 * Minimum number of words in a task: "delete account" and "cache store" search for code, while "delete the account
 * after 30 days" describes a change.
 */
const MIN_TASK_WORDS = 4

/** Maximum number of words in a question. The labelled questions have at most 17. */
const MAX_QUESTION_WORDS = 24

function wordCount(text: string): number {
  return text.split(/\s+/u).length
}

const QUESTION =
  /^(?:how|what|where|which|who|when|why|whose|is|are|does|do|can|could|find|show me|explain|describe|list)\b/iu

/**
 * Matches an area before a colon, as in the subject of a commit (`net/http: …`, `feat(ui): …`), or an imperative verb.
 */
const TASK_BEGIN =
  /^(?:\[[^\]]{1,30}\]\s*)?(?:[\w./@(){},*-]{1,40}(?:\s?[&,/]\s?[\w.-]{1,20})?!?:\s+\S|(?:fix|add|remove|delete|support|allow|make|use|don['’]?t|do not|never|always|avoid|handle|improve|update|change|rename|implement|prevent|ensure|correct|set|hide|move|replace|refactor|drop|enable|disable|return|check|skip|ignore|restore|respect|reduce|increase|expose|introduce|resolve|preserve|stop|clean|simplify|optimi[sz]e|extend|convert|pass|keep|limit|mark|accept|reject|raise|throw|report|log|validate|require|reset|migrate|switch|properly|correctly|only|better|apply|include|exclude|merge|split|create|write|treat|escape|normali[sz]e|cache|extract|adjust|bring|provide|force|redirect|render|display|emit|catch|guard|warn|parse|wait|retry|speed|fall ?back)(?:e?s|e?d)?\s)/iu

/** Matches a commit subject in the form of Conventional Commits. */
const SUBJECT = /^(?:fix|feat|perf|refactor|chore|build|docs|test|style|ci)(?:\([^)]{1,40}\))?!?:\s/iu

/**
 * Matches words which report that something is wrong. It has only forms that seldom name code: "raises", but not "leak"
 * or "panic".
 */
const PROBLEM =
  /\b(?:bugs?|(?:is|are|gets?) broken|crash(?:es|ed)|errors? (?:when|if|with|after)|fails|failed to|failing|incorrect(?:ly)?|wrong(?:ly)?|missing|doesn['’]?t|does not|don['’]?t|isn['’]?t|is not|can['’]?t|cannot|won['’]?t|not work(?:ing)?|no longer|unexpected(?:ly)?|raises|throws|hangs|leaks|should(?:n['’]?t)?|instead of|feature request|panics|panicked|segfaults?|infinite loop|inconsistent)\b/iu

export type QueryClass = "error_code" | "identifier" | "natural" | "mixed" | "quoted"

type Classification = {
  readonly class: QueryClass
  /** Weights of the keyword and the vector channel when both lists are fused; they add up to 1. */
  readonly keywordWeight: number
  readonly vectorWeight: number
  /** Words of a mixed query that look like identifiers, as typed. */
  readonly boostTerms: readonly string[]
}

// Weight of the keyword channel, 0 to 1; the vector channel has the rest. Set by the product's specification, not fitted.
const KEYWORD_WEIGHTS: Readonly<Record<QueryClass, number>> = {
  error_code: 0.8,
  identifier: 0.7,
  natural: 0.25,
  mixed: 0.5,
  quoted: 0.9,
}

/** Determines the class of a query and the weight of each channel for it. */
export function classify(query: string): Classification {
  const text = query.trim()
  const words = text
    .split(/\s+/u)
    .map(withoutPunctuation)
    .filter((word) => word !== "")
  const technical = words.filter((word) => isIdentifierLike(word) || isErrorCode(word))
  const kind = classOf(text, words, technical)
  const keywordWeight = KEYWORD_WEIGHTS[kind]
  return {
    class: kind,
    keywordWeight,
    vectorWeight: Math.round((1 - keywordWeight) * 100) / 100,
    boostTerms: kind === "mixed" ? technical : [],
  }
}

function classOf(text: string, words: readonly string[], technical: readonly string[]): QueryClass {
  if (/^"[^"]+"$|^'[^']+'$|^`[^`]+`$/u.test(text)) return "quoted"
  if (words.length === 1 && isErrorCode(words[0]!)) return "error_code"
  // A single word is looked up as a name, whatever its case.
  if (words.length <= 1 || technical.length === words.length) return "identifier"
  if (technical.some(isErrorCode) && words.length <= 2) return "error_code"
  return technical.length > 0 ? "mixed" : "natural"
}

/** The word without punctuation at its end. */
function withoutPunctuation(word: string): string {
  return word.replace(/[?.,;:!]+$/u, "")
}

function isErrorCode(word: string): boolean {
  return /^(?:ERR|ERROR|E)_[A-Z0-9_]+$|^E\d{4,5}$|^[A-Z]{2,}-?\d{3,}$/u.test(word)
}

const IDENTIFIER = /[\p{L}_$][\p{L}\p{M}\p{N}_$]*(?:(?:::|->|\\|\.|#|:)[\p{L}_][\p{L}\p{M}\p{N}_]*)*/gu
/** A route of a URL, with parameters in the spelling of any framework: /users/[id], /users/:id, /users/{id}. */
const ROUTE = /(?<=^|[\s"'`])\/[\p{L}\p{N}_.~@$*:[\](){}/-]*[\p{L}\p{N}][\])}]*/gu
const QUALIFIER = /::|->|\\|\.|#|:/u
const LOOKS_TECHNICAL = /_|::|->|[a-z][A-Z]|[A-Z]{2}[a-z]|[a-zA-Z][.\\][a-zA-Z]|\d[A-Z]/u

/** camelCase, PascalCase with two humps, snake_case, ACRONYMWord, or qualified (a::b, a.b, a->b, A\B). */
export function isIdentifierLike(word: string): boolean {
  return LOOKS_TECHNICAL.test(word.replace(/[.,;:?!)]+$/u, ""))
}

/** True if the whole query looks like the name of a symbol: one word, or two words that both look like names. */
export function looksLikeSymbol(query: string): boolean {
  const words = query.trim().split(/\s+/u)
  if (words.length === 1) return true
  return words.length === 2 && words.every((word) => isIdentifierLike(word) || /^[A-Z]/u.test(word))
}

type Identifier = { readonly name: string; readonly owner: string | null; readonly last: string }

/**
 * Names that the query may refer to, in order, without duplicates. A qualified name comes with its last part and its
 * qualifier.
 */
export function identifiersOf(query: string): Identifier[] {
  const trimmed = query.trim()
  const isSingleWord = !/\s/u.test(trimmed)
  const found = new Map<string, Identifier>()
  // A route counts as one name; the words in it are no names.
  const text = trimmed.replace(ROUTE, (route) => {
    found.set(route, { name: route, owner: null, last: route })
    return " ".repeat(route.length)
  })
  for (const match of text.matchAll(IDENTIFIER)) {
    const name = match[0]
    const isCapitalized = /^[A-Z]/u.test(name) && match.index > 0 && name.length > 2
    if (!isSingleWord && !isCapitalized && !isIdentifierLike(name)) continue
    const parts = name.split(QUALIFIER)
    found.set(name, { name, owner: parts.at(-2) ?? null, last: parts.at(-1) ?? name })
  }
  return [...found.values()]
}

/** Maximum number of characters of all guessed names together; the rest is ignored. */
const MAX_CHARACTERS = 2_000

/** The guessed names of a request as one text; "" if there are none. */
export function guessedText(names: readonly string[] | undefined): string {
  return (names ?? []).join(" ").trim().slice(0, MAX_CHARACTERS)
}

/** A question together with its guessed names. The names come first, because of a long text the first words are used. */
export function withNames(text: string, names: readonly string[] | undefined): string {
  const guessed = guessedText(names)
  return guessed === "" ? text : `${guessed} ${text}`.trim()
}
