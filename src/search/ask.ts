import { wordsLeftOut } from "../text/query-terms.ts"
import { createFilter, type FilterRequest } from "./filter.ts"
import { likenessOf } from "./like.ts"
import { type Operators, parseOperators } from "./operators.ts"
import { MOST_READ, phraseCheck, type ReadText } from "./phrases.ts"
import { type Found, search } from "./search.ts"
import type { SearchOptions, SearchSources } from "./sources.ts"
import { dictionaryOf, type Respelled, respell } from "./spelling.ts"
import { wordHolders } from "./word-holders.ts"

export type Asked = FilterRequest &
  Omit<SearchOptions, "filter" | "phrases" | "names" | "likeness" | "everyFile"> & {
    /** As typed, operators and all. */
    readonly query: string
    readonly like?: string | undefined
    readonly readText: ReadText
  }

/** An answer, and what a person should know about how it was found. */
export type Answered = Found & { readonly notices: readonly string[] }

/** A query as typed: its operators narrow down, its words decide the order. */
export async function ask(sources: SearchSources, asked: Asked): Promise<Answered> {
  const { text, notices } = capped(asked.query)
  const typed = parseOperators(text)
  const respelled = respell(typed.text, dictionaryOf(sources, asked.readText))
  const operators = { ...typed, text: respelled.text }
  const said = [...notices, ...typed.notices, ...leftOut(typed.text), ...respellings(respelled)]
  const found = await find(sources, asked, operators)
  if (!found.isEmpty) return { ...found, notices: said }
  const { phrases } = operators.wanted
  if (phrases.length === 0) return { ...found, notices: [...said, ...whyNothing(operators, sources)] }
  if (operators.hasWords) {
    // Quotation marks in a question are more often emphasis than a demand.
    const byWords = await find(sources, asked, { ...operators, wanted: { ...operators.wanted, phrases: [] } })
    const notice = `nothing contains ${quoted(phrases)}; searched for its words`
    if (!byWords.isEmpty) return { ...byWords, notices: [...said, notice] }
  }
  // Words are all that an index has: punctuation and parts of words are found by reading.
  const byText = await find(sources, asked, operators, true)
  return { ...byText, notices: byText.isEmpty ? [...said, ...whyNothing(operators, sources)] : said }
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

function whyNothing({ wanted, applied }: Operators, { store }: SearchSources): string[] {
  if (applied.length === 0) return []
  const { files } = store.files.totals()
  const where =
    files > MOST_READ ? `; of ${files} files ${MOST_READ} were looked at, aman grep looks at all` : ""
  const nothing =
    wanted.phrases.length > 0 ? `nothing contains ${quoted(wanted.phrases)}` : "nothing was found"
  const others = applied.filter((raw) => !raw.startsWith('"'))
  const also = others.length > 0 ? ` with ${others.join(" ")}` : ""
  return [`${nothing}${also}${wanted.phrases.length > 0 ? where : ""}`]
}

function quoted(phrases: readonly string[]): string {
  return phrases.map((phrase) => `"${phrase}"`).join(" and ")
}
