/*
 * The odds that of two statements the newer one supersedes or contradicts the older one: facts about the pair,
 * multiplied by coefficients that were fitted on labelled pairs (scripts/note-updates.ts).
 */

import { CHANGE_STEMS } from "./clauses.ts"
import { FUNCTION_WORDS, raritySum, sharedOfSmaller } from "./sentences.ts"
import type { QuestionFacts, Statement } from "./statement.ts"
import type { ValueType } from "./values.ts"

/** Minimum log odds of a conflict. Of the labelled pairs that are none, 6.5 % are above it. */
export const MIN_ODDS = -0.04

/**
 * Log odds that the newer statement supersedes or contradicts the older one; a lower value if they are below `MIN_ODDS`
 * anyway.
 */
export function conflictOdds(
  older: Statement,
  newer: Statement,
  asking: QuestionFacts,
  isContradiction: boolean,
): number {
  if (!isContradiction && older.stemSet.isDisjointFrom(newer.stemSet)) return Number.NEGATIVE_INFINITY
  if (isAboutAnotherOwner(older, newer)) return Number.NEGATIVE_INFINITY
  const facts = plainFeatures(older, newer, asking, isContradiction)
  // The newer statement says all that the older one says, and nothing else instead.
  if (facts.ownOld === 0 && facts.competing === 0) return Number.NEGATIVE_INFINITY
  const known = byCircumstance(older, newer, asking) + sumOf(facts)
  // Comparing word by word takes the most time and can add only this much.
  return known + COEFFICIENTS.endsOtherwise < MIN_ODDS ? known : known + sumOf(wordFeatures(older, newer))
}

/**
 * Evidence that the labelled pairs do not vary in, so that no coefficient could be fitted: the places in the list of
 * hits, labels, and questions with several answers. The weights are those of a regression on conversations.
 */
function byCircumstance(older: Statement, newer: Statement, asking: QuestionFacts): number {
  // After "Chromium only", "Firefox too" adds nothing but denies it, and a question about several things has one answer.
  const isExclusive = /\bonly\b/i.test(older.sentence)
  return (
    -0.15 * Math.max(0, Math.abs(older.rank - newer.rank) - 1) +
    byLabels(older, newer) +
    (newer.adds ? (isExclusive ? 0.5 : -1) : 0) -
    (newer.asks || older.asks ? 0.5 : 0) -
    (asking.question.isList && !isExclusive ? 1.5 : 0)
  )
}

/**
 * Evidence from topics, tags and entities. Equal labels count only within a topic, because in two projects they mean
 * different things.
 */
function byLabels({ labels: a, entry }: Statement, { labels: b, entry: other }: Statement): number {
  const isOneTopic = entry.topic === other.topic
  const topic = isOneTopic ? 0 : -1
  if (a.size === 0 || b.size === 0) return topic
  const shared = a.intersection(b).size
  if (shared === 0) return topic - 1
  return topic + (isOneTopic ? (1.4 * shared) / Math.min(a.size, b.size) : 0)
}

type Feature = keyof typeof COEFFICIENTS
type Features = { readonly [F in Feature]?: number }

/** All inputs of the estimate, for fitting. */
export function conflictFeatures(
  older: Statement,
  newer: Statement,
  asking: QuestionFacts,
  isContradiction: boolean,
): Features {
  return { ...plainFeatures(older, newer, asking, isContradiction), ...wordFeatures(older, newer) }
}

/** Names of the inputs, in the order of their coefficients. */
export function conflictFeatureNames(): readonly Feature[] {
  return Object.keys(COEFFICIENTS) as Feature[]
}

function sumOf(features: Features): number {
  let sum = 0
  for (const name in features) sum += features[name as Feature]! * COEFFICIENTS[name as Feature]
  return sum
}

function plainFeatures(
  older: Statement,
  newer: Statement,
  { words, question }: QuestionFacts,
  isContradiction: boolean,
): Features {
  const onlyOld = older.stemSet.difference(newer.stemSet)
  const onlyNew = newer.stemSet.difference(older.stemSet)
  const shared = sharedOfSmaller(older, newer, words)
  const isShort = Math.max(older.stemSet.size, newer.stemSet.size) <= MAX_SHORT
  const number = Number(MEASURES.some((type) => haveOtherValues(older, newer, type)))
  const name = Number(haveOtherValues(older, newer, "name"))
  const flag = Number(haveOtherValues(older, newer, "flag"))
  const contradiction = Number(isContradiction)
  const isCompeting = number + name + flag + contradiction > 0 || newer.replaces
  return {
    base: 1,
    number,
    name,
    flag,
    contradiction,
    sameUnit: Number(haveOtherCounts(older, newer)),
    replacement: Number(newer.replaces),
    short: Number(isShort),
    competing: Number(isCompeting),
    shortWithValue: Number(isShort && isCompeting),
    sharedWithValue: isCompeting ? shared : 0,
    wanted: Number([...question.wants].some((type) => haveOtherValues(older, newer, type))),
    ownOld: Math.min(MAX_OWN, onlyOld.size) * shared,
    ownNew: Math.min(MAX_OWN, onlyNew.size),
    ownNewShare: raritySum(onlyNew, words) / Math.max(newer.rarity, MIN_RARITY),
    newEvent: Number(newer.isEvent),
    events: Number(older.isEvent && newer.isEvent),
    yesNo: Number(question.isYesNo),
    sharedFirst: Number(beginsIn(older, newer)) + Number(beginsIn(newer, older)),
  }
}

function wordFeatures(older: Statement, newer: Statement): Features {
  const { hasOtherSubject, endsOtherwise } = compareSentences(older.tokens(), newer.tokens())
  return { otherSubject: Number(hasOtherSubject), endsOtherwise: Number(endsOtherwise) }
}

/** True when the other statement contains the first content word of this one. */
function beginsIn({ stems }: Statement, other: Statement): boolean {
  return stems[0] !== undefined && other.stemSet.has(stems[0])
}

/** Maximum number of stems of a statement that says one thing only. */
const MAX_SHORT = 8
const MAX_OWN = 8
const MIN_RARITY = 0.01
const MEASURES: readonly ValueType[] = ["money", "percent", "version", "time", "number", "date"]

/** True when each statement has a value of this type that the other lacks. */
function haveOtherValues(a: Statement, b: Statement, type: ValueType): boolean {
  return hasOwnValue(a, b, type) && hasOwnValue(b, a, type)
}

/** True when the other statement has values of this type, too, but not one of this statement's. */
function hasOwnValue(one: Statement, other: Statement, type: ValueType): boolean {
  const [mine, theirs] = [one.valuesByType.get(type), other.valuesByType.get(type)]
  if (mine === undefined || theirs === undefined) return false
  // A name at the beginning of a sentence is not recognised as one.
  const isNamed = (value: string) => type === "name" && other.lower.includes(value)
  return mine.some(({ value }) => !isNamed(value) && theirs.every((each) => each.value !== value))
}

/** True when both statements count the same thing, differently. */
function haveOtherCounts(a: Statement, b: Statement): boolean {
  const theirs = b.valuesByType.get("number") ?? []
  return (a.valuesByType.get("number") ?? []).some(
    ({ unit, value }) => unit !== "" && theirs.some((other) => other.unit === unit && other.value !== value),
  )
}

/**
 * True when the two statements are about different owners: different authors of whom one writes in the first person,
 * or one statement is about somebody else's relative or possession.
 */
function isAboutAnotherOwner(older: Statement, newer: Statement): boolean {
  if ((older.isFirstPerson || newer.isFirstPerson) && older.entry.author !== newer.entry.author) return true
  return isOfAnother(older, newer) || isOfAnother(newer, older)
}

/** True for "My sister moved" beside "I live", and for "My sister's book" beside "my book" or "Tom's book". */
function isOfAnother(one: Statement, other: Statement): boolean {
  const kin = KIN.exec(one.sentence)?.[1]
  if (kin !== undefined && !other.lower.includes(kin.toLowerCase())) return true
  if (Math.max(one.stems.length, other.stems.length) > MAX_SHORT) return false
  const words = new Set([...other.stems, ...other.possessors])
  const owners = one.possessors.difference(words)
  return owners.size > 0 && (other.possessors.size > 0 || OWN.test(other.sentence))
}

const KIN =
  /^(?:\w+:\s)?(?:\w+,?\s)?(?:my|our)\s(?:\w+\s)?(sister|brother|mom|mum|mother|dad|father|parents|son|daughter|kids|children|wife|husband|cousin|friend|colleague|coworker|boss|partner)s?\b/i
const OWN = /\b(?:my|our|mine|ours)\b/i

/** Coefficients of the logistic regression, by scripts/note-updates.ts. */
const COEFFICIENTS = {
  base: -3.7,
  number: -1.16,
  name: -0.86,
  flag: -2.31,
  contradiction: 1.34,
  sameUnit: 0.86,
  replacement: 0.44,
  short: 0.74,
  sharedWithValue: 1.96,
  wanted: 0.8,
  competing: -0.43,
  shortWithValue: 0.95,
  ownOld: -0.5,
  ownNew: -0.23,
  ownNewShare: 1.39,
  newEvent: 1.14,
  events: -1.82,
  yesNo: 0.83,
  otherSubject: -1.13,
  endsOtherwise: 0.58,
  sharedFirst: 1.06,
}

/** The result of comparing two sentences word by word. */
type SentenceSimilarity = {
  /** The sentences differ in several places, one of which is the subject, so the other places cannot be compared. */
  readonly hasOtherSubject: boolean
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
  const subjects = places.filter((place) => isSubject(place) || isOccasion(place, places))
  return {
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

/**
 * True when two statements are about different places in code: "src/a.ts#load returns null" and "src/b.ts#save returns
 * null", "A stub is left in src/a.ts#load" and "… in src/b.ts#save". A place at the end is otherwise what a statement
 * says, not what it is about: "The entry point is src/main.ts#run". A symbol of the same name in another file may have
 * moved, unless the statements are equal but for the file.
 */
export function isAboutOtherCode(older: Statement, newer: Statement): boolean {
  const [a, b] = [codeSubject(older.sentence), codeSubject(newer.sentence)]
  if (a === null || b === null || (newer.replaces && !older.replaces)) return false
  if (a.path === b.path) return a.symbol !== b.symbol && a.symbol !== "" && b.symbol !== ""
  return a.symbol !== b.symbol || a.symbol === "" || a.rest === b.rest
}

type CodeSubject = { readonly path: string; readonly symbol: string; readonly rest: string }

function codeSubject(sentence: string): CodeSubject | null {
  const match = AT_BEGINNING.exec(sentence) ?? AFTER_ARTICLE.exec(sentence)
  if (match === null) return null
  const { before = "", path = "", symbol = "", after = "" } = match.groups!
  const isPlace = path.includes("/") || symbol !== ""
  return isPlace && !TAKES_A_PLACE.test(before) ? { path, symbol, rest: `${before} ${after}` } : null
}

const PLACE = String.raw`[\x60"'(]{0,2}(?<path>(?:[\w@.+-]{1,80}\/){0,20}[\w@.+-]{1,80}\.[A-Za-z]\w{0,7})(?:#(?<symbol>[\w.$:-]{0,80}[\w$]))?[\x60"')]{0,2}`

/** A place after up to three words and before at least two. */
const AT_BEGINNING = new RegExp(
  String.raw`^(?<before>(?:[^\s#/]{1,40}\s{1,3}){0,3}?)${PLACE}[:,]?\s{1,3}(?<after>\S+\s[\s\S]*\S)`,
)

/** A place at the end of a sentence about one of several things. */
const AFTER_ARTICLE = new RegExp(
  String.raw`^(?<before>(?:an?|another|one|stub|todo|fixme)\s(?:[^\s#/]{1,40}\s{1,3}){0,9}?)${PLACE}[.!]?$`,
  "i",
)

/** Matches the end of a text after which a place is what the statement says: "Use src/a.ts#load for settings". */
const TAKES_A_PLACE =
  /(?:^|\s)(?:use|uses|using|see|call|calls|calling|import|imports|run|runs|running|read|reads|edit|prefer|load|loads|open|extend|copy|move|moved|from|with|to|into|by|via|through|is|are|was)\s+$/i
