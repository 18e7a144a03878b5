import type { QueryTerm } from "../../keyword/port.ts"
import { foldName } from "../../store/fold-name.ts"
import { compoundOf, termOf } from "../../text/terms/abbreviations.ts"
import { hashTerm } from "../../text/terms/hash.ts"
import { words } from "../../text/terms/identifiers.ts"
import { MAX_QUERY_TERMS, type Passage, queryTerms } from "../../text/terms/query-terms.ts"
import { type Classification, classify } from "./classify.ts"
import { type Identifier, identifiersOf, isIdentifierLike, looksLikeSymbol } from "./identifiers.ts"
import { passagesOf } from "./pasted-text.ts"
import { isUnsureTask, type QueryKind, queryKind } from "./query-kind.ts"

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
export type QueryParseOptions = {
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
