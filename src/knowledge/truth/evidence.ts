import type { Asking } from "./asking.ts"
import { compareValues } from "./compare-values.ts"
import { compareSentences, isOfAnother } from "./likeness.ts"
import { sharedOfSmaller, sharedRarity } from "./shares.ts"
import type { Statement } from "./statement.ts"

/** What speaks for and against the newer of two statements bringing the older up to date; each 0 to 1. */
export type Evidence = {
  readonly change: number
  readonly replacement: number
  /** Another value of one type; of the type that is asked for. */
  readonly otherValue: number
  readonly wantedValue: number
  /** The newer one names the older one's value beside its own: "from 14 to 16". */
  readonly namesOld: number
  readonly sameValue: number
  /** Plain statements, each with words of its own. */
  readonly otherWords: number
  /** They differ in one place only. */
  readonly oneGap: number
  readonly denial: number
  /** Share of the question's rarity that both cover. */
  readonly coverage: number
  readonly similarity: number
  readonly sameTopic: number
  /** Share of the tags and entities of the one with fewer that the other has too; both have some, and none in common. */
  readonly sameLabels: number
  readonly otherLabels: number
  /** Both tell of something that happened: two things, mostly. */
  readonly events: number
  /** Values of two types differ, and one of them is not asked for: it may be what they speak of. */
  readonly otherUnwanted: number
  readonly far: number
  readonly history: number
  readonly addition: number
  readonly otherSubject: number
  readonly asks: number
  readonly pastTense: number
  readonly yesNo: number
  readonly list: number
}

/**
 * How far the evidence adds up to the older statement being outdated by the newer. What is dear to tell is not looked
 * at where it cannot make up for what is missing: the sum is then too low, but below `OUTDATED` in any case.
 */
export function weighUpdate(older: Statement, newer: Statement, asking: Asking, denial: number): number {
  const around = circumstances(older, newer, asking, denial)
  const known = added(around) + WEIGHTS.coverage * around.coverage
  if (known + WEIGHTS.similarity + MOST_BY_VALUES + MOST_BY_WORDS < OUTDATED) return known
  const similarity = sharedOfSmaller(older, newer, asking.words)
  if (known + WEIGHTS.similarity * similarity + MOST_BY_VALUES + MOST_BY_WORDS < OUTDATED) return known
  const found = { ...NOTHING_FOUND, ...around, ...byValues(older, newer, asking), similarity }
  const sum = weigh(found)
  return sum + MOST_BY_WORDS < OUTDATED ? sum : weigh({ ...found, ...wordByWord(older, newer) })
}

/** From here on it does. */
export const OUTDATED = 5.4

/** What is known of two statements without comparing what they say. */
function circumstances(older: Statement, newer: Statement, asking: Asking, denial: number) {
  const { question } = asking
  return {
    change: Number(newer.changes),
    replacement: Number(newer.replaces),
    denial,
    coverage: sharedCoverage(older, newer, asking),
    sameTopic: Number(older.entry.topic === newer.entry.topic),
    ...compareLabels(older, newer),
    events: Number(older.isEvent && newer.isEvent),
    far: Math.abs(older.rank - newer.rank) / 10,
    history: Number(newer.remembers && !newer.replaces),
    addition: Number(newer.adds),
    asks: Number(newer.asks || older.asks),
    pastTense: Number(question.isPastTense),
    yesNo: Number(question.isYesNo),
    list: Number(question.isList),
  }
}

type Circumstances = ReturnType<typeof circumstances>

/** All but the coverage. */
function added(around: Circumstances): number {
  let sum = 0
  for (const name of CIRCUMSTANCES) sum += WEIGHTS[name] * around[name]
  return sum
}

function byValues(older: Statement, newer: Statement, { question }: Asking) {
  const compared = compareValues(older, newer)
  return {
    otherValue: Number(compared.other.size > 0),
    otherUnwanted: Number(
      [...compared.other].some((type) => !question.wants.has(type) && type !== "name") &&
        compared.other.size > 1,
    ),
    wantedValue: Number([...compared.other].some((type) => question.wants.has(type))),
    namesOld: Number(compared.namesOld),
    sameValue: Number(compared.same && compared.other.size === 0),
    otherWords: Number(haveOwnWords(older, newer)),
  }
}

function wordByWord(older: Statement, newer: Statement): Pick<Evidence, "oneGap" | "otherSubject"> {
  const likeness = compareSentences(older.tokens(), newer.tokens())
  return {
    oneGap: Number(likeness.isOneGap),
    otherSubject: Number(
      isOfAnother(older, newer) ||
        likeness.hasOtherSubject ||
        (likeness.beginsOtherwise && !newer.replaces) ||
        (likeness.isOfOtherThing && older.denies !== newer.denies),
    ),
  }
}

// Round numbers near those of a logistic regression on the labelled pairs (test/fixtures/truth) and on BEAM's
// conversations of 100 K; judged on its conversations of 500 K.
const WEIGHTS: { readonly [Name in keyof Evidence]: number } = {
  change: 1,
  replacement: 1,
  otherValue: 0.4,
  wantedValue: 1,
  namesOld: 0.8,
  sameValue: -1.2,
  otherWords: 0.4,
  oneGap: 0.8,
  denial: 0.8,
  coverage: 3.5,
  similarity: 2,
  sameTopic: 1,
  sameLabels: 1,
  otherLabels: -1,
  events: -1,
  otherUnwanted: -1,
  far: -1.5,
  history: -1.5,
  addition: -1,
  otherSubject: -4,
  asks: -0.5,
  pastTense: -1,
  yesNo: -1.2,
  list: -1.5,
}

const CIRCUMSTANCES = [
  "change",
  "replacement",
  "denial",
  "sameTopic",
  "sameLabels",
  "otherLabels",
  "events",
  "far",
  "history",
  "addition",
  "asks",
  "pastTense",
  "yesNo",
  "list",
] as const satisfies readonly (keyof Circumstances)[]

/** Values and words of their own can add no more. */
const MOST_BY_VALUES = WEIGHTS.otherValue + WEIGHTS.wantedValue + WEIGHTS.namesOld + WEIGHTS.otherWords
/** Comparing word by word, the dearest step, can add no more. */
const MOST_BY_WORDS = 1 + WEIGHTS.oneGap
const NOTHING_FOUND = { oneGap: 0, otherSubject: 0 }

/** Nothing that is said stands in the place of something else. */
const NOT_COMPETING = -1
/** Said in other words, perhaps, but nothing tells of a change. */
const NO_NEWS = -1.5

/** The sum of the evidence; less where nothing that is said competes. */
function weigh(found: Evidence): number {
  const isNews =
    found.change + found.replacement + found.otherValue + found.namesOld + found.denial + found.oneGap > 0
  const competes = found.otherValue + found.denial + found.namesOld + found.otherWords + found.oneGap > 0
  let sum = Number(!competes) * NOT_COMPETING + Number(!isNews) * NO_NEWS
  for (const name of Object.keys(WEIGHTS) as (keyof Evidence)[]) sum += WEIGHTS[name] * found[name]
  return sum
}

const PLAIN = 8

function haveOwnWords(older: Statement, newer: Statement): boolean {
  const [a, b] = [older.stems, newer.stems]
  if (Math.max(a.length, b.length) > PLAIN) return false
  return !older.stemSet.isSubsetOf(newer.stemSet) && !newer.stemSet.isSubsetOf(older.stemSet)
}

/** Of the question's rarity what both cover; where neither has a word of it they were found by other means. */
function sharedCoverage(older: Statement, newer: Statement, { rarity, words }: Asking): number {
  if (older.asked.size + newer.asked.size === 0) return UNKNOWN
  return sharedRarity(older.asked, newer.asked, words) / rarity
}

const UNKNOWN = 0.4

/** Only within a topic: what two projects have in common are two things. */
function compareLabels({ labels: a, entry }: Statement, { labels: b, entry: other }: Statement) {
  if (a.size === 0 || b.size === 0) return NO_LABELS
  const shared = a.intersection(b).size
  const share = entry.topic === other.topic ? shared / Math.min(a.size, b.size) : 0
  return { sameLabels: share, otherLabels: Number(shared === 0) }
}

const NO_LABELS = { sameLabels: 0, otherLabels: 0 }
