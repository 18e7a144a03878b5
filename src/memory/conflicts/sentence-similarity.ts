/*
 * Compares two sentences word by word. Their longest common subsequence gives the gaps between common words; the gaps
 * show whether the sentences differ in one place only, in several, or in their subject.
 */

import { CHANGE_STEMS, FUNCTION_WORDS } from "./cue-words.ts"
import type { Statement } from "./statement.ts"

/** The result of comparing two sentences word by word. */
export type SentenceSimilarity = {
  /** The sentences differ in one place only. */
  readonly isOneGap: boolean
  /** The sentences differ in several places, one of which is the subject, so the other places cannot be compared. */
  readonly hasOtherSubject: boolean
  /** The sentences differ in their subject, before the first content word that both contain. */
  readonly hasOtherBeginning: boolean
  /** The sentences are alike except for their subject. */
  readonly hasSubjectGap: boolean
  /** The sentences begin alike, and differ only in their last words: "The cache is in Redis", "… is in memory". */
  readonly endsOtherwise: boolean
}

type GapContext = {
  readonly a: readonly string[]
  readonly b: readonly string[]
  readonly before: string
  readonly isFirst: boolean
}

/** Compares two sentences by their tokens. `same`: stems that are ignored. */
export function compareSentences(
  a: readonly string[],
  b: readonly string[],
  same: ReadonlySet<string> = new Set(),
): SentenceSimilarity {
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
  const telling = all.filter((gap) => gap.a.some(isTelling) || gap.b.some(isTelling))
  const isAlike = longest <= MAX_TOKENS && shared >= 2 && shared / longest >= 0.3
  const isClose = shared >= 2 && shared / longest >= 0.5
  const subjects = places.filter((place) => isSubject(place) || isOccasion(place, places))
  return {
    isOneGap: places.length === 1 && isClose,
    hasOtherBeginning: isAlike && subjects.some(({ isFirst }) => isFirst),
    hasOtherSubject: isAlike && places.length >= 2 && subjects.length > 0,
    hasSubjectGap: isAlike && subjects.length > 0,
    endsOtherwise:
      telling.length === 1 &&
      places.length === 1 &&
      !places[0]!.isFirst &&
      !a.slice(telling[0]!.at + telling[0]!.a.length).some(isTelling),
  }
}

/** Maximum tokens; longer sentences always have some differing words between equal ones. */
const MAX_TOKENS = 16

/**
 * True when the two statements are about different owners: different authors of whom one writes in the first person,
 * or one statement is about somebody else's relative or possession.
 */
export function isAboutAnotherOwner(older: Statement, newer: Statement): boolean {
  if ((older.isFirstPerson || newer.isFirstPerson) && older.entry.author !== newer.entry.author) return true
  if (tellsOfKin(older, newer) || tellsOfKin(newer, older)) return true
  return ownedByOther(older, newer) || ownedByOther(newer, older)
}

/** True if one statement is about a relative and the other is not: "My sister moved" and "I live". */
function tellsOfKin(one: Statement, other: Statement): boolean {
  const [, kin, name] = KIN.exec(one.sentence) ?? []
  if (kin === undefined) return false
  return ![kin, name ?? kin].some((word) => other.lower.includes(word.toLowerCase()))
}

const KIN =
  /^(?:\w+:\s)?(?:(?:[Aa]nd|[Bb]ut|[Ss]o|[Ww]ell|[Oo]h|[Yy]eah|[Aa]lso),?\s)?(?:[Mm]y|[Oo]ur)\s(?:\w+\s)?(sister|brother|mom|mum|mother|dad|father|parents|son|daughter|kids|children|wife|husband|cousin|aunt|uncle|grand\w+|niece|nephew|neighbou?r|roommate|friend|colleague|coworker|boss|girlfriend|boyfriend|partner)s?\b,?\s*(\p{Lu}\p{Ll}+)?/u

/** True for "My sister's book" beside "my book" or "Tom's book". */
function ownedByOther(one: Statement, other: Statement): boolean {
  if (Math.max(one.stems.length, other.stems.length) > MAX_STEMS) return false
  const words = new Set([...other.stems, ...other.possessors])
  const owners = [...one.possessors].filter((owner) => !words.has(owner))
  return owners.length > 0 && (other.possessors.size > 0 || OWN.test(other.sentence))
}

/** Max stems of a statement that counts as saying one thing only. */
const MAX_STEMS = 8

const OWN = /\b(?:my|our|mine|ours)\b/i
/**
 * True when the sentences differ in their subject at this place. After a pronoun comes a verb, so it is not
 * the subject. Digits and words of change belong to the statement, not to its subject.
 */
function isSubject({ a, b, before }: GapContext): boolean {
  if (/^(?:i|we|he|she|they|it|you|who)$/.test(before)) return false
  return ![...a, ...b].some((token) => /\d|dai$/.test(token) || CHANGE_STEMS.has(token))
}

/**
 * True when the sentences are about different days: "On Monday … 8,000, on Thursday … 12,000". False when the
 * days are the only difference.
 */
function isOccasion({ a, b }: GapContext, places: readonly GapContext[]): boolean {
  const areDays = (tokens: readonly string[]) => tokens.every((token) => token.endsWith("dai"))
  return areDays(a) && areDays(b) && places.some((other) => !areDays(other.a) || !areDays(other.b))
}

/** A place where two sentences differ between words that they share. */
type WordGap = {
  readonly a: readonly string[]
  readonly b: readonly string[]
  /** Index in the first list where the gap begins. */
  readonly at: number
}

/** The differences of two lists of words, in order, by their longest common subsequence. */
function gapsBetween(a: readonly string[], b: readonly string[]): WordGap[] {
  const lengths = commonLengths(a, b)
  const width = b.length + 1
  const gaps: WordGap[] = []
  let [onlyA, onlyB]: [string[], string[]] = [[], []]
  let [i, j] = [0, 0]
  const close = () => {
    if (onlyA.length + onlyB.length > 0) gaps.push({ a: onlyA, b: onlyB, at: i - onlyA.length })
    onlyA = []
    onlyB = []
  }
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      close()
      i++
      j++
    } else if (
      j >= b.length ||
      (i < a.length && lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!)
    )
      onlyA.push(a[i++]!)
    else onlyB.push(b[j++]!)
  }
  close()
  return gaps
}

/** Row i, column j: length of the longest common subsequence of the words from i and from j on. */
function commonLengths(a: readonly string[], b: readonly string[]): Uint16Array {
  const width = b.length + 1
  const lengths = new Uint16Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i--) {
    const one = a[i]!
    for (let j = b.length - 1, at = i * width + j; j >= 0; j--, at--) {
      lengths[at] =
        one === b[j] ? lengths[at + width + 1]! + 1 : Math.max(lengths[at + width]!, lengths[at + 1]!)
    }
  }
  return lengths
}
