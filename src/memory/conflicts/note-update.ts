/*
 * A second opinion on two notes. Facts about the pair are multiplied by coefficients that were fitted on labelled
 * pairs; the sum is the log odds that the newer note supersedes or contradicts the older one.
 */

import { byLabels, WEIGHTS } from "./evidence.ts"
import { compareSentences, isAboutAnotherOwner } from "./sentence-similarity.ts"
import { raritySum, sharedOfSmaller, sharedRarity } from "./shares.ts"
import type { QuestionFacts, Statement } from "./statement.ts"
import type { ValueType } from "./values.ts"

/** What the rules of evidence.ts and settle.ts say about two statements. */
export type RuleVerdict = {
  /** The rules take the newer statement for an update or a contradiction. */
  readonly isConflict: boolean
  readonly isContradiction: boolean
}

/**
 * True when the newer of two notes is likely to supersede or to contradict the older one. The rules propose pairs, and
 * this estimate, fitted on labelled pairs (scripts/note-updates.ts), confirms them; a pair that the rules do not see
 * needs higher odds. Notes only: messages of conversations are judged by the rules alone.
 */
export function isLikelyConflict(
  older: Statement,
  newer: Statement,
  asking: QuestionFacts,
  verdict: RuleVerdict,
): boolean {
  if (!verdict.isConflict && older.stemSet.isDisjointFrom(newer.stemSet)) return false
  const threshold = verdict.isConflict ? MIN_CONFIRMED : MIN_UNPROPOSED
  const known = byCircumstance(older, newer, asking) + sumOf(plainFeatures(older, newer, asking, verdict))
  // Comparing word by word takes the most time and can add only this much.
  if (known + COEFFICIENTS.endsOtherwise < threshold) return false
  return known + sumOf(wordFeatures(older, newer)) >= threshold
}

/** Minimum log odds of a pair that the rules take for a conflict, and of one that they do not. */
const MIN_CONFIRMED = -1.2
const MIN_UNPROPOSED = 0.7

/**
 * Evidence from the places in the list of hits, from labels, and from questions with several answers. It has the
 * weights of evidence.ts, because the labelled pairs do not vary in these respects, so that no weight could be fitted.
 */
function byCircumstance(older: Statement, newer: Statement, asking: QuestionFacts): number {
  // After "Chromium only", "Firefox too" adds nothing but denies it, and a question about several things has one answer.
  const isExclusive = /\bonly\b/i.test(older.sentence)
  return (
    (WEIGHTS.far * Math.max(0, Math.abs(older.rank - newer.rank) - 1)) / 10 +
    (byLabels(older, newer) - WEIGHTS.sameTopic) +
    (newer.adds ? (isExclusive ? -1 : 1) * WEIGHTS.addition : 0) +
    (newer.asks || older.asks ? WEIGHTS.asks : 0) +
    (asking.question.isList && !isExclusive ? WEIGHTS.list : 0)
  )
}

type Feature = keyof typeof COEFFICIENTS
type Features = { readonly [F in Feature]?: number }

/** All inputs of the estimate, for fitting. */
export function noteUpdateFeatures(
  older: Statement,
  newer: Statement,
  asking: QuestionFacts,
  verdict: RuleVerdict,
): Features {
  return { base: 1, ...plainFeatures(older, newer, asking, verdict), ...wordFeatures(older, newer) }
}

/** Names of the inputs, in the order of their coefficients. */
export function noteUpdateFeatureNames(): readonly Feature[] {
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
  { asked, rarity, words, question }: QuestionFacts,
  { isConflict, isContradiction }: RuleVerdict,
): Features {
  const onlyOld = older.stemSet.difference(newer.stemSet)
  const onlyNew = newer.stemSet.difference(older.stemSet)
  const shared = sharedOfSmaller(older, newer, words)
  const isShort = Math.max(older.stemSet.size, newer.stemSet.size) <= MAX_SHORT
  const number = Number(MEASURES.some((type) => haveOtherValues(older, newer, type)))
  const name = Number(haveOtherValues(older, newer, "name"))
  const flag = Number(haveOtherValues(older, newer, "flag"))
  const contradiction = Number(isContradiction)
  const covered =
    asked.size === 0 ? 0 : sharedRarity(older.asked, newer.asked, words) / Math.max(rarity, MIN_RARITY)
  const isCompeting = number + name + flag + contradiction > 0 || newer.replaces
  return {
    base: 1,
    number,
    name,
    flag,
    contradiction,
    sharedNumber: shared * number,
    proposedNumber: Number(isConflict) * number,
    sameUnit: Number(haveOtherCounts(older, newer)),
    replacement: Number(newer.replaces),
    short: Number(isShort),
    shortWithValue: Number(isShort && isCompeting),
    sharedWithValue: isCompeting ? shared : 0,
    askedNumber: covered * number,
    wanted: Number([...question.wants].some((type) => haveOtherValues(older, newer, type))),
    shortAndAsked: isShort ? covered : 0,
    ownOld: Math.min(MAX_OWN, onlyOld.size) * shared,
    ownNew: Math.min(MAX_OWN, onlyNew.size),
    ownNewShare: raritySum(onlyNew, words) / Math.max(newer.rarity, MIN_RARITY),
    newEvent: Number(newer.isEvent),
    events: Number(older.isEvent && newer.isEvent),
    history: Number(newer.remembers),
    otherOwner: Number(isAboutAnotherOwner(older, newer)),
    yesNo: Number(question.isYesNo),
    sharedFirst: Number(beginsIn(older, newer)) + Number(beginsIn(newer, older)),
  }
}

function wordFeatures(older: Statement, newer: Statement): Features {
  const [a, b] = [older.tokens(), newer.tokens()]
  const { hasOtherSubject, endsOtherwise } = compareSentences(a, b)
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
  const [mine, theirs] = [a.valuesByType.get(type), b.valuesByType.get(type)]
  if (mine === undefined || theirs === undefined) return false
  return (
    mine.some(({ value }) => theirs.every((other) => other.value !== value)) &&
    theirs.some(({ value }) => mine.every((other) => other.value !== value))
  )
}

/** True when both statements count the same thing, differently. */
function haveOtherCounts(a: Statement, b: Statement): boolean {
  const theirs = b.valuesByType.get("number") ?? []
  return (a.valuesByType.get("number") ?? []).some(
    ({ unit, value }) => unit !== "" && theirs.some((other) => other.unit === unit && other.value !== value),
  )
}

/** Coefficients of the logistic regression, by scripts/note-updates.ts. */
const COEFFICIENTS = {
  base: -3.67,
  number: -1.75,
  name: -0.89,
  flag: -2.2,
  contradiction: 1.55,
  sharedNumber: 0.37,
  proposedNumber: 1.56,
  sameUnit: 1,
  replacement: 0.41,
  short: 0.82,
  sharedWithValue: 1.31,
  askedNumber: -0.39,
  wanted: 0.72,
  shortWithValue: 0.84,
  shortAndAsked: -0.25,
  ownOld: -0.47,
  ownNew: -0.25,
  ownNewShare: 1.38,
  newEvent: 1.1,
  events: -1.77,
  history: -1.07,
  otherOwner: -1.97,
  yesNo: 0.91,
  otherSubject: -0.84,
  endsOtherwise: 0.6,
  sharedFirst: 1.08,
}
