import { AmanError } from "../../base/index.ts"
import { CHUNK_KEY_STRIDE, type SearchSources } from "../../index/index.ts"
import { languageNamed, SYMBOL_KINDS } from "../../parse/index.ts"
import type { Store } from "../../store/index.ts"
import { hashTerm, isFunctionWord, MAX_QUERY_TERMS, queryTerms } from "../../text/index.ts"
import { parseQuery, withNames } from "./query.ts"

/** Values of a query's operators, grouped by operator. Of each non-empty list, a file must match at least one value. */
export type Conditions = {
  readonly files: readonly string[]
  readonly languages: readonly string[]
  readonly kinds: readonly string[]
  readonly symbols: readonly string[]
  readonly words: readonly string[]
  readonly phrases: readonly string[]
}

export type Operators = {
  /** The query without its operators, by which results are ranked. Phrases in quotation marks stay in it. */
  readonly text: string
  /** Conditions that a file must meet. `words` is empty here, and a file must contain every phrase. */
  readonly wanted: Conditions
  readonly unwanted: Conditions
  /** The place given by `like:`, as typed; null if there is none. */
  readonly like: string | null
  /** True if the query has words that are neither phrases nor operators. */
  readonly hasWords: boolean
  /** The text of every operator that applies, as typed. */
  readonly applied: readonly string[]
  /** Messages about text that looks like an operator but is treated as text. */
  readonly notices: readonly string[]
}

type ReadingOptions = {
  /** True if the query was given by a flag (-e): operators of a one-line query then apply at any length. */
  readonly isTyped?: boolean | undefined
  /** Operators, as typed, that are removed from the query without being applied. */
  readonly without?: readonly string[]
}

/**
 * Separates the operators of a query from its text. Operators are `file:`, `lang:`, `sym:` and `kind:` with a value,
 * which may be quoted; the same after a dash; `-word`; `"a phrase"`; and `like:path:line`. A query looks pasted if it
 * has several lines or more words than a person types (MAX_WORDS); then operators count as text. `-word` and phrases
 * count as text in a full sentence, too.
 */
export function parseOperators(query: string, { isTyped, without }: ReadingOptions = {}): Operators {
  const found = withoutPasted(query, [...tokensOf(query)], isTyped ?? false)
  const tokens = found.filter(({ kind, raw }) => kind === "text" || !without?.includes(raw))
  const isText = (token: QueryToken) => token.kind === "text" && HAS_WORD.test(token.raw)
  const hasPositive = tokens.some((token) => isText(token) || (token.kind !== "text" && !token.isNegated))
  // A query that consists of exclusions only has nothing to exclude from, so they count as text.
  const effective = hasPositive ? tokens : tokens.map((token) => asText(token))
  const notices = effective.flatMap((token) => (token.kind === "text" && token.notice ? [token.notice] : []))
  const isWhole = tokens.length === found.length
  if (isWhole && effective.every((token) => token.kind === "text"))
    return { ...NO_OPERATORS, text: query, notices }
  const wanted = effective.filter((token) => token.kind === "text" || !token.isNegated)
  const conditions = conditionsOf(wanted)
  return {
    text: tokensText(wanted, conditions),
    wanted: conditions,
    unwanted: conditionsOf(effective.filter((token) => token.kind !== "text" && token.isNegated)),
    like: valuesOf(wanted, "like").at(-1) ?? null,
    hasWords: effective.some(isText),
    applied: effective.flatMap((token) => (token.kind === "text" ? [] : [token.raw])),
    notices,
  }
}

/**
 * Maximum number of words in a one-line query whose operators apply: `plain` for phrases and -word, `named` for file:
 * lang: sym: kind: like:. The named operators themselves are not counted. Measured on 38,495 subjects and paragraphs of
 * commit messages in five projects: text in quotation marks is in 2 % of those with at most 12 words and in 8 % of the
 * longer ones, but only a single one contains a named operator. So named operators apply in longer queries, too.
 */
const MAX_WORDS = { plain: 12, named: 24 } as const

/**
 * Turns the operators of a pasted query into text. In such a query, -Werror and "the name" are options and quotations,
 * and not filters.
 */
function withoutPasted(
  query: string,
  tokens: readonly QueryToken[],
  isTyped: boolean,
): readonly QueryToken[] {
  const reasonFor = reasonsOf(query, tokens, isTyped)
  const countsAsText = (token: QueryToken) => token.kind !== "text" && reasonFor(token.kind) !== null
  const asTextTokens = tokens.filter(countsAsText)
  const [first] = asTextTokens
  if (first === undefined) {
    // A text of several lines gets no notice about its operators: someone who pastes lang:x does not mean a
    // language.
    return hasLines(query) ? tokens.map(({ raw }) => text(raw)) : tokens
  }
  const others = asTextTokens.length === 1 ? "was" : `and ${asTextTokens.length - 1} more were`
  const notice = `${abridged(first.raw)} ${others} searched as text: the query ${reasonFor(first.kind)}`
  return tokens.map((token) => {
    if (token === first) return { ...text(token.raw), notice }
    return token.kind === "text" || countsAsText(token) ? text(token.raw) : token
  })
}

/** Returns a function that says why the operators of one kind count as text in this query; null if they apply. */
function reasonsOf(query: string, tokens: readonly QueryToken[], isTyped: boolean) {
  if (hasLines(query)) return () => "has several lines"
  const words = isTyped ? 0 : wordCount(tokens)
  const isProse = !isTyped && isSentence(tokens)
  return (kind: QueryToken["kind"]): string | null => {
    const max = isNamed(kind) ? MAX_WORDS.named : MAX_WORDS.plain
    if (words > max) return `is longer than ${max} words`
    return isProse && !isNamed(kind) ? "reads as a sentence" : null
  }
}

function hasLines(query: string): boolean {
  return /[\n\r]/.test(query.trim())
}

/**
 * True if a query is a sentence and not a list of words to search for. In a sentence, quotations and -word are names
 * and options, not filters. Recognizes 59 % of 1,196 one-line commit subjects that contain a quotation or -word.
 */
function isSentence(tokens: readonly QueryToken[]): boolean {
  const plain = tokens.filter(({ kind, raw }) => kind === "text" && HAS_WORD.test(raw))
  return plain.length >= 3 && plain.some(({ raw }) => isFunctionWord(raw.toLowerCase()))
}

/**
 * Number of words and phrases. Scripts without spaces have long words, so a long text without spaces counts as several
 * words.
 */
function wordCount(tokens: readonly QueryToken[]): number {
  const plain = tokens.filter(({ kind }) => !isNamed(kind))
  const characters = plain.reduce((sum, { kind, raw }) => sum + (kind === "text" ? raw.length : 0), 0)
  return Math.max(plain.length, Math.ceil(characters / CHARACTERS_PER_WORD))
}

// Number of characters that count as one word. English words have 5 on average, names in code up to 15.
const CHARACTERS_PER_WORD = 16

/**
 * An operator as a notice shows it, cut to MAX_SHOWN characters, because a quotation may be as long as the pasted text.
 */
function abridged(raw: string): string {
  const line = raw.replace(/\s+/gu, " ")
  return line.length <= MAX_SHOWN ? line : `${line.slice(0, MAX_SHOWN - 1)}…`
}

const MAX_SHOWN = 60

function isNamed(kind: QueryToken["kind"]): boolean {
  return kind !== "text" && kind !== "phrase" && kind !== "word"
}

type OperatorKind = "file" | "lang" | "sym" | "kind"
type QueryToken =
  | { readonly kind: "text"; readonly raw: string; readonly notice?: string }
  | {
      readonly kind: OperatorKind | "word" | "phrase" | "like"
      readonly raw: string
      readonly values: readonly string[]
      readonly isNegated: boolean
    }

const NO_CONDITIONS: Conditions = { files: [], languages: [], kinds: [], symbols: [], words: [], phrases: [] }

export const NO_OPERATORS: Operators = {
  ...{ text: "", wanted: NO_CONDITIONS, unwanted: NO_CONDITIONS, like: null },
  ...{ hasWords: true, applied: [], notices: [] },
}

const HAS_WORD = /[\p{L}\p{N}]/u
const OPERATOR = /(-?)(file|lang|sym|kind):(?:"([^"]*)"|([^\s":][^\s"]*))(?=\s|$)/y
// The line number is required, because it distinguishes the operator from prose that contains "like:".
const LIKE = /like:[ \t]*(?:"([^"]+:\d+(?:-\d+)?)"|([^\s":]+:\d+(?:-\d+)?))(?=\s|$)/y
const PHRASE = /(-?)"([^"]+)"(?=[\s.,;:!?)]|$)/y
// At least two letters after a single dash: -m and --flag are options of command lines.
const EXCLUDED = /-(\p{L}[\p{L}\p{M}\p{N}_]+)(?=\s|$)/uy
const WORD = /\S+/y

function* tokensOf(query: string): Generator<QueryToken> {
  for (let at = 0; at < query.length; ) {
    if (/\s/u.test(query[at]!)) {
      at++
      continue
    }
    const token = operatorAt(query, at) ?? phraseAt(query, at) ?? text(matchAt(WORD, query, at)![0])
    yield token
    at += token.raw.length
  }
}

function operatorAt(query: string, at: number): QueryToken | null {
  const like = matchAt(LIKE, query, at)
  if (like) return { kind: "like", raw: like[0], values: [like[1] ?? like[2]!], isNegated: false }
  const excluded = at > 0 ? matchAt(EXCLUDED, query, at) : null
  if (excluded) return { kind: "word", raw: excluded[0], values: [excluded[1]!], isNegated: true }
  const found = matchAt(OPERATOR, query, at)
  if (!found) return null
  const [raw, dash, name, quoted, bare] = found
  const value = (quoted ?? bare!).trim()
  // file://host and file:"" name no file, so they count as text.
  if (value === "" || value.startsWith("//")) return text(raw)
  return operator(name as OperatorKind, raw, value, dash === "-")
}

function operator(kind: OperatorKind, raw: string, value: string, isNegated: boolean): QueryToken {
  if (kind === "file" || kind === "sym") return { kind, raw, values: [value], isNegated }
  const values = value.split(",").filter((each) => each !== "")
  const isKnown = (each: string) =>
    kind === "lang" ? languageNamed(each) !== null : SYMBOL_KINDS.some((known) => known === each)
  const unknown = values.find((each) => !isKnown(each))
  if (values.length > 0 && unknown === undefined) return { kind, raw, values, isNegated }
  const what = kind === "lang" ? "language" : "kind of symbol"
  return { ...text(raw), notice: `${raw} was searched as text: no ${what} is named ${unknown ?? value}` }
}

function phraseAt(query: string, at: number): QueryToken | null {
  const found = matchAt(PHRASE, query, at)
  if (!found || found[2]!.trim() === "") return null
  return { kind: "phrase", raw: found[0], values: [found[2]!], isNegated: found[1] === "-" }
}

function matchAt(pattern: RegExp, query: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(query)
}

function text(raw: string): QueryToken & { readonly kind: "text" } {
  return { kind: "text", raw }
}

function asText(token: QueryToken): QueryToken {
  return token.kind === "text" ? token : text(token.raw)
}

function conditionsOf(tokens: readonly QueryToken[]): Conditions {
  return {
    files: valuesOf(tokens, "file"),
    languages: valuesOf(tokens, "lang"),
    kinds: valuesOf(tokens, "kind"),
    symbols: valuesOf(tokens, "sym"),
    words: valuesOf(tokens, "word"),
    phrases: valuesOf(tokens, "phrase"),
  }
}

function valuesOf(tokens: readonly QueryToken[], kind: QueryToken["kind"]): string[] {
  return tokens.flatMap((token) => (token.kind !== "text" && token.kind === kind ? token.values : []))
}

/** The words and phrases as typed; if there are none, the symbols or files that the operators name. */
function tokensText(tokens: readonly QueryToken[], { symbols, files }: Conditions): string {
  const words = tokens.filter((token) => token.kind === "text" || token.kind === "phrase")
  if (words.length === 0) return (symbols.length > 0 ? symbols : files).join(" ")
  return words.map(({ raw }) => raw).join(" ")
}

/** Reads the current text of a file; null if it cannot be read. */
export type ReadText = (path: string) => string | null

/**
 * Tests a file. Returns the ordinals of the chunks that contain a phrase (an empty set if no phrase is required), or
 * null if the file does not match.
 */
export type PhraseCheck = (fileId: number, path: string) => ReadonlySet<number> | null

// Maximum number of files whose text is read for a query; the best-ranked ones are read first. Files that lack a word of
// the phrase are not read, because the index excludes them.
export const MAX_READ = 2_000

/**
 * Creates a test that reads the text of files, because the index contains no phrases. Null if the query has no phrase.
 */
export function phraseCheck(
  store: Store,
  { wanted, unwanted }: Operators,
  readText: ReadText,
): PhraseCheck | null {
  if (wanted.phrases.length + unwanted.phrases.length === 0) return null
  const present = wanted.phrases.map(phraseTest)
  const absent = unwanted.phrases.map(phraseTest)
  let read = 0
  return (fileId, path) => {
    if (++read > MAX_READ) return null
    const text = readText(path)
    if (text === null) return null
    const compared = comparable(text)
    if (!present.every((isIn) => isIn(compared)) || absent.some((isIn) => isIn(compared))) return null
    return chunksHolding(store, fileId, compared, present)
  }
}

/**
 * Tests a comparable text for a phrase. White space in the phrase stands for any white space, and for a line break with
 * the mark of a comment after it, because sentences in comments and documents are wrapped.
 */
export function phraseTest(phrase: string): (compared: string) => boolean {
  const [first = "", ...others] = comparable(phrase).split(/\s+/u)
  if (others.length === 0) return (compared) => compared.includes(first)
  // One character before the first word is enough; a gap would be tried from each line break of an empty page.
  const start = first === "" ? "\\s" : RegExp.escape(first) + GAP
  const pattern = new RegExp(start + others.map((part) => RegExp.escape(part)).join(GAP), "u")
  return (compared) => pattern.test(compared)
}

const GAP = String.raw`(?:[^\S\n]+|\s*\n[^\S\n]*(?:(?:[*#;>|!-]|//[/!]?|--)[^\S\n]+)?)`

/** The form in which texts are compared: lower case, and accents composed (NFC). */
export function comparable(text: string): string {
  return text.normalize("NFC").toLowerCase()
}

function chunksHolding(
  store: Store,
  fileId: number,
  text: string,
  phrases: readonly ReturnType<typeof phraseTest>[],
): ReadonlySet<number> {
  const ordinals = new Set<number>()
  if (phrases.length === 0) return ordinals
  const chunks = store.chunks.ofFile(fileId)
  const lines = text.split("\n")
  for (const { ordinal, startLine, endLine } of chunks) {
    const chunk = lines.slice(startLine - 1, endLine).join("\n")
    if (phrases.some((isIn) => isIn(chunk))) ordinals.add(ordinal)
  }
  // If a phrase begins in one chunk and ends in the next, no chunk contains it: every chunk is accepted.
  return ordinals.size > 0 ? ordinals : new Set(chunks.map(({ ordinal }) => ordinal))
}

/**
 * What to search for when similar code is wanted: the most distinctive words of a place in the code, and its vector.
 */
export type LikeTarget = {
  readonly fileId: number
  readonly ordinal: number
  readonly text: string
  /** Vector of the place; null if it is not computed yet. The search then uses the words only. */
  readonly vector: Float32Array | null
}

const CONTENT_WORDS = 16
/** Maximum number of characters read of a chunk; this many contain enough distinctive words. */
const MAX_CHARACTERS = 20_000

/** Reads the chunk at "path:line" or "path:first-last" as a search target. Throws if there is no text. */
export function likeTarget(sources: SearchSources, like: string, readText: ReadText): LikeTarget {
  const { path, line } = parsePlace(like)
  const { store } = sources
  const file = store.files.byPath(path)
  if (file === null) {
    throw new AmanError("NOT_FOUND", `no indexed file is named ${path}`, {
      hint: "give the path of a search result and a line: src/app.ts:12",
    })
  }
  if (line < 1 || line > Math.max(1, file.lines)) {
    throw new AmanError("USAGE", `${path} has ${file.lines} lines; line ${line} does not exist`)
  }
  const chunks = store.chunks.ofFile(file.id)
  const chunk = chunks.findLast(({ startLine }) => startLine <= line) ?? chunks[0]
  const lines = (readText(path) ?? "").split(/\r\n|\n|\r/u)
  const text = chunk === undefined ? "" : lines.slice(chunk.startLine - 1, chunk.endLine).join("\n")
  if (chunk === undefined || text.trim() === "") {
    throw new AmanError("NOT_FOUND", `line ${line} of ${path} is empty`, { hint: "choose another line" })
  }
  return {
    fileId: file.id,
    ordinal: chunk.ordinal,
    text: contentWords(sources, text.slice(0, MAX_CHARACTERS)).join(" "),
    vector: sources.vectors?.get(file.id * CHUNK_KEY_STRIDE + chunk.ordinal) ?? null,
  }
}

export function parsePlace(like: string): { path: string; line: number } {
  const found = /^(.+?)(?::|#L)(\d{1,9})(?:-L?\d+|:\d+)?$/u.exec(like.trim())
  if (found === null) {
    throw new AmanError("USAGE", `${JSON.stringify(like)} is not a place in a file`, {
      hint: "write path:line, for example src/app.ts:12",
    })
  }
  return { path: found[1]!.replaceAll("\\", "/").replace(/^(?:\.?\/)+/u, ""), line: Number(found[2]) }
}

/**
 * The words that are most frequent in a text and rare elsewhere in the project. A word that occurs nowhere else is left
 * out.
 */
function contentWords({ keyword, store }: SearchSources, text: string): string[] {
  const { chunks, files } = store.files.totals()
  const weights = new Map<string, number>()
  for (const word of text.match(/[\p{L}\p{N}\p{M}_]+/gu) ?? []) {
    for (const { word: part, stem } of queryTerms(word)) {
      if (part.length < 3 || /^\d+$/u.test(part)) continue
      const hash = hashTerm(stem)
      const elsewhere = keyword.estimate(Number(hash >> 32n), Number(hash & 0xffff_ffffn)) - 1
      const rarity = elsewhere > 0 ? Math.log(1 + (chunks + files) / elsewhere) : 0
      // The weight of a word is its rarity × √(number of its occurrences in the text).
      const before = (weights.get(part) ?? 0) / (rarity || 1)
      weights.set(part, rarity * Math.sqrt(before * before + 1))
    }
  }
  const byWeight = [...weights].filter(([, weight]) => weight > 0).sort((a, b) => b[1] - a[1])
  return byWeight.slice(0, CONTENT_WORDS).map(([word]) => word)
}

type TypedRequest = {
  readonly query: string
  readonly names?: readonly string[] | undefined
  readonly isPlain?: boolean | undefined
  readonly isTyped?: boolean | undefined
  readonly like?: string | undefined
  readonly mode: "hybrid" | "keyword" | "semantic"
}

/**
 * Hashes of the terms of a query before its spelling is corrected: of a name of several words first that of the whole name,
 * which few indexes contain, then those of all words. An index that contains none of them need not be searched. Null if a
 * file can match without any of these words: by an operator, by likeness, by vectors alone, or because the query has more
 * words than are searched for.
 */
export function typedWords(request: TypedRequest): readonly (readonly bigint[])[] | null {
  const { query, names, isPlain, isTyped, like, mode } = request
  if (mode === "semantic" || like) return null
  if (!isPlain && parseOperators(query, { isTyped }).applied.length > 0) return null
  const { terms, scored } = parseQuery(withNames(query, names))
  if (scored === 0 || scored >= MAX_QUERY_TERMS) return null
  const hashes = terms.map(({ variants }) => variants.map(({ hash }) => hash))
  const isName =
    scored > 1 && terms.length > scored && !names?.length && /^[\p{L}\p{N}_$]+$/u.test(query.trim())
  return [...(isName ? [hashes.slice(scored).flat()] : []), [...new Set(hashes.flat())]]
}
