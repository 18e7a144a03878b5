import { wordsLeftOut } from "../text/query-terms.ts"
import { createFilter, type FilterRequest } from "./filter.ts"
import { likenessOf } from "./like.ts"
import { NO_OPERATORS, type Operators, parseOperators } from "./operators.ts"
import { phraseCheck, type ReadText } from "./phrases.ts"
import { type Found, search } from "./search.ts"
import type { SearchOptions, SearchSources } from "./sources.ts"
import { dictionaryOf, type Respelled, respell } from "./spelling.ts"
import { quoted, whyNothing } from "./why-nothing.ts"
import { wordHolders } from "./word-holders.ts"

export type Asked = FilterRequest &
  Omit<SearchOptions, "filter" | "phrases" | "names" | "likeness" | "everyFile" | "readText"> & {
    /** As typed, operators and all. */
    readonly query: string
    /** There are none: what looks like one is text. */
    readonly isPlain?: boolean | undefined
    readonly like?: string | undefined
    readonly readText: ReadText
  }

/** An answer, and what a person should know about how it was found. */
export type Answered = Found & {
  readonly notices: readonly string[]
  /** Where no file was found: what of the question left none. */
  readonly whyNothing: readonly string[]
}

/** A query as typed: its operators narrow down, its words decide the order. */
export async function ask(sources: SearchSources, asked: Asked): Promise<Answered> {
  const { text, notices } = capped(asked.query)
  const typed = asked.isPlain ? { ...NO_OPERATORS, text } : parseOperators(text)
  const respelled = respell(typed.text, dictionaryOf(sources, asked.readText))
  const operators = { ...typed, text: respelled.text }
  const said = [...notices, ...typed.notices, ...leftOut(typed.text), ...respellings(respelled)]
  const found = await find(sources, asked, operators)
  const answered = { ...found, notices: said, whyNothing: [] }
  if (!found.isEmpty) return answered
  const { phrases } = operators.wanted
  if (phrases.length === 0) return { ...answered, whyNothing: whyNothing(operators, asked, sources) }
  if (operators.hasWords) {
    // Quotation marks in a question are more often emphasis than a demand.
    const byWords = await find(sources, asked, { ...operators, wanted: { ...operators.wanted, phrases: [] } })
    const notice = `nothing contains ${quoted(phrases)}; searched for its words`
    if (!byWords.isEmpty) return { ...byWords, notices: [...said, notice], whyNothing: [] }
  }
  // Words are all that an index has: punctuation and parts of words are found by reading.
  const byText = await find(sources, asked, operators, true)
  return { ...byText, notices: said, whyNothing: byText.isEmpty ? whyNothing(operators, asked, sources) : [] }
}

// Longer ones are pasted files; their beginning says what is meant, and takes bounded time.
const MOST_CHARACTERS = 10_000

function capped(query: string): { readonly text: string; readonly notices: readonly string[] } {
  if (query.length <= MOST_CHARACTERS) return { text: query, notices: [] }
  const notice = `the query has ${query.length} characters; only the first ${MOST_CHARACTERS} were searched for`
  return { text: query.slice(0, MOST_CHARACTERS), notices: [notice] }
}

function respellings({ changes }: Respelled): string[] {
  return changes.map(([from, to]) => `nothing contains \`${from}\`; searched for \`${to}\``)
}

function leftOut(text: string): string[] {
  const more = wordsLeftOut(text)
  return more === 0 ? [] : [`the query has many words; its last ${more} count for its meaning only`]
}

function find(sources: SearchSources, asked: Asked, operators: Operators, everyFile = false): Promise<Found> {
  const { store } = sources
  const holders = wordHolders(sources)
  const like = asked.like ?? operators.like
  const likeness = like === null ? null : likenessOf(sources, like, asked.readText)
  const text = likeness === null ? operators.text : `${likeness.text} ${operators.text}`.trim()
  return search(sources, text, {
    ...asked,
    likeness,
    everyFile,
    names: operators.wanted.symbols,
    filter: createFilter(
      store,
      asked,
      operators,
      everyFile ? { ...holders, ofPhrase: () => [] } : holders,
      likeness,
    ),
    phrases: phraseCheck(store, operators, asked.readText),
  })
}
