import { isType } from "../../symbols/definition.ts"
import type { Offer } from "./allocate.ts"
import { Excerpts } from "./excerpts.ts"
import type { Found, FoundFile, Further } from "./found.ts"
import type { QueryWords } from "./query-words.ts"
import { type Relations, relationsOf } from "./relations.ts"
import type { ContextRequest, ContextSnippet } from "./request.ts"

export type SnippetOffer = Offer<ContextSnippet>

export type OfferOptions = {
  readonly query: QueryWords
  readonly request: ContextRequest
  /** What git says of the file's best definition. */
  readonly changes: readonly string[]
  /** Of how many of its places it is looked for what hangs together with them. */
  readonly followed: number
}

// What a piece is worth beside the signature that brings its file to mind.
const WORTH = {
  signature: 1,
  lines: 1.5,
  part: 1.8,
  body: 3,
  callees: 0.35,
  callers: 0.4,
  tests: 0.3,
  changes: 0.15,
} as const

/** Shares of the whole budget that one piece may take. */
const MOST_OF_BODY = 0.3
const MOST_OF_PART = 0.1
const MOST_PLACES = 6
// Of a definition in the best chunk that holds as many of the task's words as any.
const NEXT_TO = 0.5
const CHARACTERS = 3

/** Characters of the longest definition that is told as a whole. */
export function longestBody(maxTokens: number): number {
  return charactersOf(maxTokens, MOST_OF_BODY)
}

function charactersOf(maxTokens: number, part: number): number {
  return Math.floor(maxTokens * part * CHARACTERS)
}
/** From here on a place is told by all of it or by its beginning. */
const PLENTY = 4000
const OVERHEAD = 24

/** The cheapest piece of a file: where it is and a line of it. */
export function signatureOffer(file: FoundFile, slot: string, query: QueryWords): SnippetOffer {
  const make = () => new Excerpts(file.glimpse, query).signature
  return { slot, value: WORTH.signature * file.share, estimate: 50, make }
}

/** Everything else that there is of a file. */
export function offersOf(file: FoundFile, slot: string, options: OfferOptions): SnippetOffer[] {
  const first = file.best
  const further = likeliest(file.further(), first, options.query)
  const followed = [first, ...further.map(({ place }) => place)].slice(0, options.followed)
  return [
    ...placeOffers(first, file, slot, options),
    ...further.flatMap(({ place, odds }, i) =>
      placeOffers(place, file, `${slot}/place${i}`, options, odds).map((offer) => ({
        ...offer,
        after: slot,
      })),
    ),
    ...followed.flatMap((place, i) => relationOffers(file, place, { slot, place: i }, options)),
  ]
}

/** Those that have a word of the task, and not in a licence alone. */
function likeliest(
  places: readonly Further[],
  first: Found,
  query: QueryWords,
): { readonly place: Found; readonly odds: number }[] {
  const wordsIn = ({ text }: Found) => query.in(text).size
  const most = Math.max(1, wordsIn(first), ...places.map(({ place }) => wordsIn(place)))
  return places
    .map(({ place, odds }) => ({ place, odds: odds ?? (NEXT_TO * wordsIn(place)) / most }))
    .filter(({ place, odds }) => odds > 0 && wordsIn(place) > 0 && !isPreamble(place))
    .sort((one, other) => other.odds - one.odds || one.place.startLine - other.place.startLine)
    .slice(0, MOST_PLACES)
}

function placeOffers(
  found: Found,
  { share, depth }: FoundFile,
  slot: string,
  { query, request: { maxTokens } }: OfferOptions,
  odds: number | null = null,
): SnippetOffer[] {
  const excerpts = new Excerpts(found, query)
  const length = found.body.reduce((sum, { text }) => sum + text.length + 1, 0)
  const most = (part: number) => charactersOf(maxTokens, part)
  const estimate = (characters: number) => Math.ceil(characters / CHARACTERS) + OVERHEAD
  // Whatever a file's text is worth, more than a line of it is worth no less.
  const worthIn = (worth: number) =>
    odds === null ? WORTH.signature * share + (worth - WORTH.signature) * depth : worth * depth * odds
  const body = (worth: number, part: number) => ({
    slot,
    value: worthIn(worth),
    estimate: estimate(Math.min(length, most(part))),
    make: () => excerpts.body(most(part)),
  })
  return [
    { slot, value: worthIn(WORTH.signature), estimate: 50, make: () => excerpts.signature },
    ...(maxTokens < PLENTY
      ? [{ slot, value: worthIn(WORTH.lines), estimate: 90, make: () => excerpts.lines }]
      : []),
    ...(length > most(MOST_OF_PART) ? [body(WORTH.part, MOST_OF_PART)] : []),
    body(WORTH.body, MOST_OF_BODY),
  ]
}

function relationOffers(
  file: FoundFile,
  found: Found,
  { slot, place }: { readonly slot: string; readonly place: number },
  options: OfferOptions,
): SnippetOffer[] {
  const { symbol, name, startLine, endLine } = found
  const { related, tests } = options.request
  let relations: Relations | null = null
  const relationsThere = () => {
    relations ??= symbol === null ? NOTHING : relationsOf(file.graph, file.path, symbol)
    return relations
  }
  const offer = (kind: keyof typeof WORTH, estimate: number, why: string, of: () => readonly string[]) => ({
    slot: `${slot}/${kind}${place}`,
    // Of a further place only where that itself is told.
    after: place === 0 ? slot : `${slot}/place${place - 1}`,
    value: (WORTH[kind] * file.depth) / (place + 1),
    estimate,
    make: () => {
      const lines = of()
      return lines.length === 0 ? null : { text: lines.join("\n"), lines: `${startLine}-${endLine}`, why }
    },
  })
  const isDefinition = symbol !== null
  return [
    ...(related && isDefinition
      ? [
          offer("callees", 110, `what ${name} calls`, () => relationsThere().callees),
          offer("callers", 110, `what ${isType(symbol) ? "uses" : "calls"} ${name}`, () =>
            callersOf(relationsThere(), symbol.name),
          ),
        ]
      : []),
    ...(tests && isDefinition ? [offer("tests", 60, `tests of ${name}`, () => relationsThere().tests)] : []),
    ...(related && place === 0 && options.changes.length > 0
      ? [offer("changes", 70, "recent changes", () => options.changes)]
      : []),
  ]
}

const NOTHING: Relations = { callers: [], callees: [], tests: [], users: 0 }

function callersOf({ callers, users }: Relations, name: string): readonly string[] {
  return users === 0 ? callers : [`${users} files use ${name}: see the symbol tool`]
}

const COMMENT = String.raw`//|/\*|\*|--|;;|#(?!!?\[)|<!--`
const IMPORT = String.raw`import\b|package\b|from\s+\S+\s+import\b|using\s+[\w.]+;|use\s+[\w:\\{}, ]+;|require\b|@file:|"use strict"|'use strict'|<\?php`
const LINE = new RegExp(`^\\s*(?:$|${COMMENT}|${IMPORT})`)
const COMMENTED = new RegExp(`^\\s*(?:${COMMENT})`)

/** A head that is a licence more than it is imports: words of a task in that say nothing of where it is done. */
export function isPreamble({ symbol, startLine, body }: Found): boolean {
  if (symbol !== null || startLine !== 1 || !body.every(({ text }) => LINE.test(text))) return false
  return body.filter(({ text }) => COMMENTED.test(text)).length * 2 >= body.length
}
