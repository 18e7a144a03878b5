import { gapsBetween } from "./alignment.ts"
import { CHANGE_STEMS, FUNCTION_WORDS } from "./cue-words.ts"
import type { Statement } from "./statement.ts"

/** How two sentences are alike word by word. */
export type Likeness = {
  /** The same but for one place. */
  readonly isOneGap: boolean
  /** One of several places is what they speak of: the rest may not be compared. */
  readonly hasOtherSubject: boolean
  /** They begin with different things, before any word that they share. */
  readonly beginsOtherwise: boolean
  /** The same but for what they speak of. */
  readonly isOfOtherThing: boolean
}

type Place = {
  readonly a: readonly string[]
  readonly b: readonly string[]
  readonly before: string
  readonly isFirst: boolean
}

/** By their tokens. `same`: stems that make no difference. */
export function compareSentences(
  a: readonly string[],
  b: readonly string[],
  same: ReadonlySet<string> = new Set(),
): Likeness {
  const all = gapsBetween(a, b)
  const shared = a.length - all.reduce((sum, gap) => sum + gap.a.length, 0)
  const longest = Math.max(a.length, b.length, 1)
  const isTelling = (token: string) => !FUNCTION_WORDS.has(token) && !same.has(token)
  const places = all
    .map((gap) => ({
      a: gap.a.filter(isTelling),
      b: gap.b.filter(isTelling),
      before: a[gap.at - 1] ?? "",
      isFirst: !a.slice(0, gap.at).some(isTelling),
    }))
    .filter((gap) => gap.a.length > 0 && gap.b.length > 0)
  const isAlike = longest <= MOST_ALIKE && shared >= 2 && shared / longest >= 0.3
  const isClose = shared >= 2 && shared / longest >= 0.5
  const subjects = places.filter((place) => isSubject(place) || isOccasion(place, places))
  return {
    isOneGap: places.length === 1 && isClose,
    beginsOtherwise: isAlike && subjects.some(({ isFirst }) => isFirst),
    hasOtherSubject: isAlike && places.length >= 2 && subjects.length > 0,
    isOfOtherThing: isAlike && subjects.length > 0,
  }
}

/** In longer sentences some other words stand between the same ones always. */
const MOST_ALIKE = 16

/** Whether they are what two people say of themselves, or one speaks of what is another's. */
export function isOfAnother(older: Statement, newer: Statement): boolean {
  if ((older.isFirstPerson || newer.isFirstPerson) && older.entry.author !== newer.entry.author) return true
  if (tellsOfKin(older, newer) || tellsOfKin(newer, older)) return true
  return ownedByOther(older, newer) || ownedByOther(newer, older)
}

/** "My sister moved" beside "I live". */
function tellsOfKin(one: Statement, other: Statement): boolean {
  const [, kin, name] = KIN.exec(one.sentence) ?? []
  if (kin === undefined) return false
  return ![kin, name ?? kin].some((word) => other.lower.includes(word.toLowerCase()))
}

const KIN =
  /^(?:\w+:\s)?(?:(?:[Aa]nd|[Bb]ut|[Ss]o|[Ww]ell|[Oo]h|[Yy]eah|[Aa]lso),?\s)?(?:[Mm]y|[Oo]ur)\s(?:\w+\s)?(sister|brother|mom|mum|mother|dad|father|parents|son|daughter|kids|children|wife|husband|cousin|aunt|uncle|grand\w+|niece|nephew|neighbou?r|roommate|friend|colleague|coworker|boss|girlfriend|boyfriend|partner)s?\b,?\s*(\p{Lu}\p{Ll}+)?/u

/** "My sister's book" beside "my book" or "Tom's book". */
function ownedByOther(one: Statement, other: Statement): boolean {
  if (Math.max(one.stems.length, other.stems.length) > PLAIN) return false
  const words = new Set([...other.stems, ...other.possessors])
  const owners = [...one.possessors].filter((owner) => !words.has(owner))
  return owners.length > 0 && (other.possessors.size > 0 || OWN.test(other.sentence))
}

/** Stems of a statement that says one thing. */
const PLAIN = 8
const OWN = /\b(?:my|our|mine|ours)\b/i
/** After a pronoun stands a verb; digits and words of change are what is said, not of what. */
function isSubject({ a, b, before }: Place): boolean {
  if (/^(?:i|we|he|she|they|it|you|who)$/.test(before)) return false
  return ![...a, ...b].some((token) => /\d|dai$/.test(token) || CHANGE_STEMS.has(token))
}

/** "On Monday … 8,000, on Thursday … 12,000": of two days, unless the days are all that differs. */
function isOccasion({ a, b }: Place, places: readonly Place[]): boolean {
  const areDays = (tokens: readonly string[]) => tokens.every((token) => token.endsWith("dai"))
  return areDays(a) && areDays(b) && places.some((other) => !areDays(other.a) || !areDays(other.b))
}
