/*
 * The evidence that one statement supersedes another, as a sum of weights. Cheap evidence is added first:
 * circumstances, then similarity, values, and the comparison word by word. The computation stops as soon as the rest
 * could not lift the sum to the threshold.
 */

import type { ClassifiedQuestion } from "./question-kind.ts"
import { compareSentences, isAboutAnotherOwner } from "./sentence-similarity.ts"
import { sharedOfSmaller, sharedRarity } from "./shares.ts"
import type { QuestionFacts, Statement } from "./statement.ts"
import type { Value, ValueType } from "./values.ts"

/**
 * Sum of the evidence that the newer statement supersedes the older one. It counts as superseded from
 * `OUTDATED_THRESHOLD` on. Evidence that is expensive to compute is left out when it could not lift the sum to the
 * threshold; the result is then a partial sum below it.
 */
export function weighUpdate(
  older: Statement,
  newer: Statement,
  asking: QuestionFacts,
  denial: number,
): number {
  let sum = circumstances(older, newer, asking) + WEIGHTS.denial * denial
  if (sum + WEIGHTS.similarity + MAX_BY_VALUES + WEIGHTS.oneGap < OUTDATED_THRESHOLD) return sum
  const similarity = sharedOfSmaller(older, newer, asking.words)
  if (similarity === 0 && older.asked.size + newer.asked.size === 0) return 0
  sum += WEIGHTS.similarity * similarity
  if (sum + MAX_BY_VALUES + WEIGHTS.oneGap < OUTDATED_THRESHOLD) return sum
  const values = compareValues(older, newer)
  const ownWords = haveOwnWords(older, newer)
  sum += byValues(values, asking.question) + Number(ownWords) * WEIGHTS.otherWords
  if (sum + WEIGHTS.oneGap < OUTDATED_THRESHOLD) return sum
  const { isOneGap, isAboutOther } = wordByWord(older, newer)
  sum += Number(isOneGap) * WEIGHTS.oneGap + Number(isAboutOther) * WEIGHTS.otherSubject
  const competes = denial > 0 || values.other.size > 0 || values.namesOld || isOneGap
  const isNews = competes || newer.changes || newer.replaces
  return sum + Number(!(competes || ownWords)) * NO_CONFLICT + Number(!isNews) * NO_CHANGE
}

/** Minimum sum of the evidence for the older statement to count as outdated. */
export const OUTDATED_THRESHOLD = 5.4

/** Evidence from the circumstances of two statements, without comparing their content. */
function circumstances(older: Statement, newer: Statement, asking: QuestionFacts): number {
  const { isPastTense, isYesNo, isList } = asking.question
  let replacement = 0
  if (newer.replaces) replacement = WEIGHTS.replacement
  else if (newer.remembers) replacement = WEIGHTS.history
  return (
    WEIGHTS.coverage * sharedCoverage(older, newer, asking) +
    (WEIGHTS.far * Math.abs(older.rank - newer.rank)) / 10 +
    (newer.changes ? WEIGHTS.change : 0) +
    replacement +
    (newer.adds ? WEIGHTS.addition : 0) +
    (newer.asks || older.asks ? WEIGHTS.asks : 0) +
    (older.isEvent && newer.isEvent ? WEIGHTS.events : 0) +
    byLabels(older, newer) +
    (isPastTense ? WEIGHTS.pastTense : 0) +
    (isYesNo ? WEIGHTS.yesNo : 0) +
    (isList ? WEIGHTS.list : 0)
  )
}

/**
 * Evidence from tags and entities. Equal labels count only within a topic, because in two projects they mean
 * different things.
 */
export function byLabels({ labels: a, entry }: Statement, { labels: b, entry: other }: Statement): number {
  const isOneTopic = entry.topic === other.topic
  const topic = isOneTopic ? WEIGHTS.sameTopic : 0
  if (a.size === 0 || b.size === 0) return topic
  let shared = 0
  for (const label of a) if (b.has(label)) shared++
  if (shared === 0) return topic + WEIGHTS.otherLabels
  return topic + (isOneTopic ? (WEIGHTS.sameLabels * shared) / Math.min(a.size, b.size) : 0)
}

function byValues({ other, same, namesOld }: ComparedValues, { wants }: ClassifiedQuestion): number {
  let isWanted = false
  let isUnwanted = false
  for (const type of other) {
    if (wants.has(type)) isWanted = true
    else if (type !== "name") isUnwanted = true
  }
  let difference = same ? WEIGHTS.sameValue : 0
  if (other.size > 0) difference = WEIGHTS.otherValue
  return (
    difference +
    (isWanted ? WEIGHTS.wantedValue : 0) +
    (isUnwanted && other.size > 1 ? WEIGHTS.otherUnwanted : 0) +
    (namesOld ? WEIGHTS.namesOld : 0)
  )
}

function wordByWord(older: Statement, newer: Statement) {
  const likeness = compareSentences(older.tokens(), newer.tokens())
  const isAboutOther =
    likeness.hasOtherSubject ||
    (likeness.hasOtherBeginning && !newer.replaces) ||
    (likeness.hasSubjectGap && older.denies !== newer.denies) ||
    isAboutAnotherOwner(older, newer)
  return { isOneGap: likeness.isOneGap, isAboutOther }
}

// Rounded coefficients of a logistic regression on labelled pairs and on BEAM's conversations of 100 K,
// evaluated on its conversations of 500 K: docs/decisions/figures.md.
export const WEIGHTS = {
  change: 1,
  replacement: 1,
  /**
   * `otherValue`: the statements have different values of one type. `wantedValue`: the question asks for a value of
   * that type.
   */
  otherValue: 0.4,
  wantedValue: 1,
  /**
   * Added when values of several types differ and the question asks for none of these types: the value may then
   * belong to the subject, not to the statement.
   */
  otherUnwanted: -1,
  /** The newer statement contains the old value beside the new one: "from 14 to 16". */
  namesOld: 0.8,
  sameValue: -1.2,
  /** Both statements are short, and each contains words that the other lacks. */
  otherWords: 0.4,
  /** The sentences differ in one place only. */
  oneGap: 0.8,
  otherSubject: -4,
  denial: 0.8,
  /** Share of the question's total idf that both statements cover. */
  coverage: 3.5,
  similarity: 2,
  sameTopic: 1,
  /**
   * `sameLabels`: multiplied by the shared tags and entities as a share of the smaller set. `otherLabels`: both
   * entries have tags or entities, but none in common.
   */
  sameLabels: 1.4,
  otherLabels: -1,
  /** Both statements describe an event. Two descriptions are mostly about two different events. */
  events: -1,
  /** Added for each ten ranks between the two hits. */
  far: -1.5,
  history: -1.5,
  addition: -1,
  asks: -0.5,
  pastTense: -1,
  yesNo: -1.2,
  list: -1.5,
}

/** Maximum evidence from values and own words. */
const MAX_BY_VALUES = WEIGHTS.otherValue + WEIGHTS.wantedValue + WEIGHTS.namesOld + WEIGHTS.otherWords

/** Added when no part of the newer statement takes the place of a part of the older one. */
const NO_CONFLICT = -1
/** Added when the statements may say the same in other words, because no word indicates a change. */
const NO_CHANGE = -1.5

const MAX_PLAIN_STEMS = 8

function haveOwnWords(older: Statement, newer: Statement): boolean {
  if (Math.max(older.stems.length, newer.stems.length) > MAX_PLAIN_STEMS) return false
  return !older.stemSet.isSubsetOf(newer.stemSet) && !newer.stemSet.isSubsetOf(older.stemSet)
}

/**
 * Share of the question's total idf that both statements cover. If neither contains a word of the question, they were
 * found by other means and `UNKNOWN_COVERAGE` is assumed.
 */
function sharedCoverage(older: Statement, newer: Statement, { rarity, words }: QuestionFacts): number {
  if (older.asked.size + newer.asked.size === 0) return UNKNOWN_COVERAGE
  return sharedRarity(older.asked, newer.asked, words) / rarity
}

const UNKNOWN_COVERAGE = 0.4

type ComparedValues = {
  /** Value types of which each statement has a value that the other lacks. */
  readonly other: ReadonlySet<ValueType>
  /** Both have the same value of a type, and no differing ones of that type. */
  readonly same: boolean
  /** The newer statement also contains the old value, as the replaced one. */
  readonly namesOld: boolean
}

/** Compares the values of two sentences. */
function compareValues(older: Statement, newer: Statement): ComparedValues {
  const isLong = Math.max(older.stems.length, newer.stems.length) > MAX_STEMS_FOR_NAMES
  const other = new Set<ValueType>()
  let same = false
  let namesOld = false
  for (const type of older.valuesByType.keys()) {
    if (!newer.valuesByType.has(type) || (type === "name" && isLong)) continue
    const { isOther, isKept, isJoined } = compareOne(
      ownValues(older, newer, type),
      ownValues(newer, older, type),
    )
    if (isOther) other.add(type)
    // Equal names and dates are no evidence, because other subjects share them too.
    if (isKept && type !== "name" && type !== "date") same = true
    if (isJoined && type !== "date" && displaces(newer, type)) namesOld = true
  }
  return { other, same, namesOld }
}

function displaces(newer: Statement, type: ValueType): boolean {
  return newer.displaces || (newer.replaces && type !== "name")
}

/** Values of one type in a sentence. Names that occur in the other sentence as plain words are left out. */
function ownValues(one: Statement, other: Statement, type: ValueType): readonly Value[] {
  const values = one.valuesByType.get(type) ?? []
  if (type !== "name") return values
  const named = other.valuesByType.get("name") ?? []
  const isNamed = (value: Value) => named.some((v) => v.value === value.value)
  return values.filter((value) => isNamed(value) || !other.lower.includes(value.value))
}

/**
 * Compares values of one type. `isOther`: each has a value of its own; `isKept`: some are shared; `isJoined`:
 * the newer has all of the older's and one more.
 */
function compareOne(a: readonly Value[], b: readonly Value[]) {
  const onlyA = a.filter((v) => !has(b, v))
  const onlyB = b.filter((v) => !has(a, v))
  const isOther = onlyA.some((v) => onlyB.some((w) => isComparable(v, w)))
  const isKept = !isOther && b.length > 0 && onlyA.length < a.length
  return { isOther, isKept, isJoined: isKept && onlyA.length === 0 && onlyB.length > 0 }
}

function has(values: readonly Value[], one: Value): boolean {
  return values.some((v) => v.value === one.value && isComparable(v, one))
}

/** Values with different units are not compared: three weeks do not contradict two bugs. */
function isComparable(a: Value, b: Value): boolean {
  return a.unit === b.unit || a.unit === "" || b.unit === ""
}

/** Maximum stems for comparing names: longer sentences nearly always contain different names. */
const MAX_STEMS_FOR_NAMES = 14
