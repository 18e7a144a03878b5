import type { Asking } from "./asking.ts"
import { type ComparedValues, compareValues } from "./compare-values.ts"
import { compareSentences, isOfAnother } from "./likeness.ts"
import type { Question } from "./question.ts"
import { sharedOfSmaller, sharedRarity } from "./shares.ts"
import type { Statement } from "./statement.ts"

/**
 * How far the evidence adds up to the older statement being outdated by the newer. What is dear to tell is not looked
 * at where it cannot make up for what is missing: the sum is then of no meaning, but below `OUTDATED` in any case.
 */
export function weighUpdate(older: Statement, newer: Statement, asking: Asking, denial: number): number {
  let sum = circumstances(older, newer, asking) + WEIGHTS.denial * denial
  if (sum + WEIGHTS.similarity + MOST_BY_VALUES + WEIGHTS.oneGap < OUTDATED) return sum
  const similarity = sharedOfSmaller(older, newer, asking.words)
  if (similarity === 0 && older.asked.size + newer.asked.size === 0) return 0
  sum += WEIGHTS.similarity * similarity
  if (sum + MOST_BY_VALUES + WEIGHTS.oneGap < OUTDATED) return sum
  const values = compareValues(older, newer)
  const ownWords = haveOwnWords(older, newer)
  sum += byValues(values, asking.question) + Number(ownWords) * WEIGHTS.otherWords
  if (sum + WEIGHTS.oneGap < OUTDATED) return sum
  const { isOneGap, isOfOther } = wordByWord(older, newer)
  sum += Number(isOneGap) * WEIGHTS.oneGap + Number(isOfOther) * WEIGHTS.otherSubject
  const competes = denial > 0 || values.other.size > 0 || values.namesOld || isOneGap
  const isNews = competes || newer.changes || newer.replaces
  return sum + Number(!(competes || ownWords)) * NOT_COMPETING + Number(!isNews) * NO_NEWS
}

/** From here on it does. */
export const OUTDATED = 5.4

/** What is known of two statements without comparing what they say. */
function circumstances(older: Statement, newer: Statement, asking: Asking): number {
  const { isPastTense, isYesNo, isList } = asking.question
  return (
    WEIGHTS.coverage * sharedCoverage(older, newer, asking) +
    (WEIGHTS.far * Math.abs(older.rank - newer.rank)) / 10 +
    (newer.changes ? WEIGHTS.change : 0) +
    (newer.replaces ? WEIGHTS.replacement : newer.remembers ? WEIGHTS.history : 0) +
    (newer.adds ? WEIGHTS.addition : 0) +
    (newer.asks || older.asks ? WEIGHTS.asks : 0) +
    (older.isEvent && newer.isEvent ? WEIGHTS.events : 0) +
    byLabels(older, newer) +
    (isPastTense ? WEIGHTS.pastTense : 0) +
    (isYesNo ? WEIGHTS.yesNo : 0) +
    (isList ? WEIGHTS.list : 0)
  )
}

/** Labels count as the same only within a topic: what two projects have in common are two things. */
function byLabels({ labels: a, entry }: Statement, { labels: b, entry: other }: Statement): number {
  const isOneTopic = entry.topic === other.topic
  const topic = isOneTopic ? WEIGHTS.sameTopic : 0
  if (a.size === 0 || b.size === 0) return topic
  let shared = 0
  for (const label of a) if (b.has(label)) shared++
  if (shared === 0) return topic + WEIGHTS.otherLabels
  return topic + (isOneTopic ? (WEIGHTS.sameLabels * shared) / Math.min(a.size, b.size) : 0)
}

function byValues({ other, same, namesOld }: ComparedValues, { wants }: Question): number {
  let isWanted = false
  let isUnwanted = false
  for (const type of other) {
    if (wants.has(type)) isWanted = true
    else if (type !== "name") isUnwanted = true
  }
  return (
    (other.size > 0 ? WEIGHTS.otherValue : same ? WEIGHTS.sameValue : 0) +
    (isWanted ? WEIGHTS.wantedValue : 0) +
    (isUnwanted && other.size > 1 ? WEIGHTS.otherUnwanted : 0) +
    (namesOld ? WEIGHTS.namesOld : 0)
  )
}

function wordByWord(older: Statement, newer: Statement) {
  const likeness = compareSentences(older.tokens(), newer.tokens())
  const isOfOther =
    likeness.hasOtherSubject ||
    (likeness.beginsOtherwise && !newer.replaces) ||
    (likeness.isOfOtherThing && older.denies !== newer.denies) ||
    isOfAnother(older, newer)
  return { isOneGap: likeness.isOneGap, isOfOther }
}

// Round numbers near those of a logistic regression on labelled pairs and on BEAM's conversations of 100 K, judged on
// its conversations of 500 K; docs/decisions/0028-competing-statements.md has what was added since.
const WEIGHTS = {
  change: 1,
  replacement: 1,
  /** Another value of one type; of the type that is asked for. */
  otherValue: 0.4,
  wantedValue: 1,
  /** Values of two types differ, and one of them is not asked for: it may be what they speak of. */
  otherUnwanted: -1,
  /** The newer one names the older one's value beside its own: "from 14 to 16". */
  namesOld: 0.8,
  sameValue: -1.2,
  /** Plain statements, each with words of its own. */
  otherWords: 0.4,
  /** They differ in one place only. */
  oneGap: 0.8,
  otherSubject: -4,
  denial: 0.8,
  /** Share of the question's rarity that both cover. */
  coverage: 3.5,
  similarity: 2,
  sameTopic: 1,
  /** Share of the tags and entities of the one with fewer that the other has too; both have some, none in common. */
  sameLabels: 1.4,
  otherLabels: -1,
  /** Both tell of something that happened: two things, mostly. */
  events: -1,
  /** Ten places apart. */
  far: -1.5,
  history: -1.5,
  addition: -1,
  asks: -0.5,
  pastTense: -1,
  yesNo: -1.2,
  list: -1.5,
}

/** Values and words of their own can add no more. */
const MOST_BY_VALUES = WEIGHTS.otherValue + WEIGHTS.wantedValue + WEIGHTS.namesOld + WEIGHTS.otherWords

/** Nothing that is said stands in the place of something else. */
const NOT_COMPETING = -1
/** Said in other words, perhaps, but nothing tells of a change. */
const NO_NEWS = -1.5

const PLAIN = 8

function haveOwnWords(older: Statement, newer: Statement): boolean {
  if (Math.max(older.stems.length, newer.stems.length) > PLAIN) return false
  return !older.stemSet.isSubsetOf(newer.stemSet) && !newer.stemSet.isSubsetOf(older.stemSet)
}

/** Of the question's rarity what both cover; where neither has a word of it they were found by other means. */
function sharedCoverage(older: Statement, newer: Statement, { rarity, words }: Asking): number {
  if (older.asked.size + newer.asked.size === 0) return UNKNOWN
  return sharedRarity(older.asked, newer.asked, words) / rarity
}

const UNKNOWN = 0.4
