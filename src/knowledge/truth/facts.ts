import { isPastForm } from "../recall/irregular.ts"
import { contentStems, type Sentence } from "./content-stems.ts"
import { ADDITION, CHANGE, DISPLACEMENT, FIRST_PERSON, HISTORY, NEGATION, REPLACEMENT } from "./cue-words.ts"
import { sentenceTokens } from "./sentence-tokens.ts"
import { unquoted } from "./unquoted.ts"
import type { Value, ValueType } from "./values.ts"

/** What one sentence says, whatever is asked. */
export type Facts = {
  readonly sentence: string
  /** The same in lower case. */
  readonly lower: string
  readonly tokens: () => readonly string[]
  /** Stems of the sentence without function words and values, in order. */
  readonly stems: readonly string[]
  readonly stemSet: ReadonlySet<string>
  /** Whose it is: stems of what stands before 's. */
  readonly possessors: ReadonlySet<string>
  readonly values: readonly Value[]
  readonly valuesByType: ReadonlyMap<ValueType, readonly Value[]>
  readonly changes: boolean
  readonly replaces: boolean
  readonly displaces: boolean
  readonly remembers: boolean
  readonly adds: boolean
  readonly denies: boolean
  readonly asks: boolean
  readonly isFirstPerson: boolean
  /** Tells of something that happened, not of how things are. */
  readonly isEvent: boolean
}

export function factsOf(read: Sentence, values: readonly Value[]): Facts {
  const sentence = read.text
  const lower = sentence.toLowerCase()
  const told = unquoted(sentence)
  return {
    sentence,
    lower,
    tokens: sentenceTokens(sentence),
    ...stemsBesideValues(read, values),
    possessors: possessorsIn(sentence),
    values,
    valuesByType: Map.groupBy(values, ({ type }) => type),
    changes: CHANGE.test(told),
    replaces: REPLACEMENT.test(told),
    displaces: DISPLACEMENT.test(told),
    remembers: HISTORY.test(told),
    adds: ADDITION.test(told),
    denies: (told.match(NEGATION) ?? []).length % 2 === 1,
    asks: /\?["'”’)]*$/.test(sentence) && sentence.length < 80,
    isEvent: isEvent(sentence, lower),
    isFirstPerson: FIRST_PERSON.test(sentence),
  }
}

/** A verb of the past and none of the present. */
function isEvent(sentence: string, lower: string): boolean {
  if (PRESENT.test(sentence)) return false
  return PAST.test(lower) || (lower.match(/[a-z]+/g) ?? []).some(isPastForm)
}

/** "Shared" and "hosted" after these tell what a thing is like. */
const PAST =
  /(?<!\b(?:an?|the|of|for|in|on|with|by|to|as|at|and|or|from|our|its|their|uses?|needs?)\s)\b(?!(?:speed|hundred|indeed|embed|exceed|proceed|breed)\b)[a-z]{3,}ed\b/

const PRESENT =
  /\b(?:is|are|am|has|have|do|does|will|can|must|should|may|\w+['’](?:s|re|m|ve|ll)|don['’]t|doesn['’]t|isn['’]t)\b/i

function stemsBesideValues(read: Sentence, values: readonly Value[]): Pick<Facts, "stems" | "stemSet"> {
  if (values.every(({ type }) => type === "name")) return { stems: read.stems, stemSet: read.stemSet }
  const stems = contentStems(withoutValues(read.text, values))
  return { stems, stemSet: new Set(stems) }
}

function possessorsIn(sentence: string): ReadonlySet<string> {
  if (!POSSESSION.test(sentence)) return NOBODY
  const owners = sentence.matchAll(/([\p{L}\d]+)['’]s\b/gu)
  return new Set([...owners].flatMap((match) => contentStems(match[1]!)))
}

const POSSESSION = /['’]s/
const NOBODY: ReadonlySet<string> = new Set()

function withoutValues(sentence: string, values: readonly Value[]): string {
  let rest = ""
  let from = 0
  for (const { start, end, type } of values) {
    if (type === "name") continue
    rest += `${sentence.slice(from, start)} `
    from = end
  }
  return rest + sentence.slice(from)
}
