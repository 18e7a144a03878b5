/**
 * Fits the probability that of two found entries the newer one answers a question and not the older one
 * (src/memory/conflicts/lift.ts). First fits on generated conversations with even seeds and judges on those with odd
 * seeds, then fits on all of them.
 *
 *   bun packages/lab/updates.ts [CONVERSATIONS]
 */
import { OUTDATED_THRESHOLD, weighUpdate } from "../../src/memory/conflicts/evidence.ts"
import { chanceOfNewer, updateFeatures } from "../../src/memory/conflicts/lift.ts"
import { readQuestionContext, readStatement } from "../../src/memory/conflicts/statement.ts"
import { RecallIndex } from "../../src/memory/recall/index/recall-index.ts"
import { PLAIN_DOCUMENT } from "../../test/recall-document.ts"
import { noteOf } from "../../test/truth-pairs.ts"
import { minimize } from "./fit/minimize.ts"
import {
  type Conversation,
  type Fact,
  type GeneratedQuestion,
  generateConversation,
} from "./updates/conversations.ts"

/** Two found entries of which exactly one is right; the newer one ranks below the older one. */
type Pair = {
  readonly seed: number
  readonly evidence: number
  readonly scoreRatio: number
  readonly isNewer: boolean
}

const conversations = Number(process.argv[2] ?? 60)
const pairs: Pair[] = []
for (let seed = 1; seed <= conversations; seed++)
  pairs.push(...(await pairsOf(generateConversation(seed), seed)))
const [fitting, judging] = [
  pairs.filter(({ seed }) => seed % 2 === 0),
  pairs.filter(({ seed }) => seed % 2 === 1),
]
const held = fit(fitting)
const shareOfNewer = fitting.filter(({ isNewer }) => isNewer).length / fitting.length
console.log(`${pairs.length} pairs, the newer is right in ${pairs.filter(({ isNewer }) => isNewer).length}`)
console.log(`log loss on conversations not fitted: ${loss(judging, (pair) => chance(held, pair)).toFixed(3)}`)
console.log(`log loss of a constant chance: ${loss(judging, () => shareOfNewer).toFixed(3)}`)
console.log(`log loss of the coefficients in use: ${loss(pairs, chanceNow).toFixed(3)}`)
console.log(`base, weight, ratio: ${[...fit(pairs)].map((value) => value.toFixed(2)).join(", ")}`)

async function pairsOf({ entries, questions }: Conversation, seed: number): Promise<Pair[]> {
  const index = new RecallIndex()
  await index.upsert(
    entries.map(({ id, text, recordedAt, session, ordinal }) => {
      return { ...PLAIN_DOCUMENT, id, text, recordedAt, session, ordinal }
    }),
  )
  const facts = new Map(entries.map(({ id, fact }) => [id, fact]))
  const found: Pair[] = []
  for (const question of questions) {
    const asking = readQuestionContext(question.text, (word) => index.rarity(word))
    if (asking.question.isPast) continue
    const { hits } = await index.search(question.text, { limit: 10 })
    const statements = hits.map(({ document, score, window }, rank) => {
      const { id, text, recordedAt, session, ordinal } = document
      const entry = noteOf(id, text, recordedAt, { session, ordinal })
      return readStatement({ entry, score, window }, rank, asking)
    })
    const ranked = statements.flatMap((older) =>
      statements.slice(older.rank + 1).map((newer) => ({ older, newer })),
    )
    for (const { older, newer } of ranked.filter((pair) => pair.older.at < pair.newer.at)) {
      const isNewer = rightOne(question, facts.get(older.entry.id), facts.get(newer.entry.id))
      const evidence = weighUpdate(older, newer, asking, 0)
      if (isNewer !== null && evidence >= OUTDATED_THRESHOLD)
        found.push({ seed, evidence, scoreRatio: newer.score / older.score, isNewer })
    }
  }
  return found
}

/** True when the newer entry alone answers the question as of now, false when the older alone does, otherwise null. */
function rightOne(
  question: GeneratedQuestion,
  older: Fact | null = null,
  newer: Fact | null = null,
): boolean | null {
  const [before, after] = [valueFor(question, older), valueFor(question, newer)]
  if (after !== null) return before === after ? null : true
  return before === null ? null : false
}

/** The value that an entry gives to what the question asks for; null when it gives none. */
function valueFor({ subject, attribute }: GeneratedQuestion, fact: Fact | null): string | null {
  return fact?.subject === subject && fact.attribute === attribute ? fact.value : null
}

function chance(weights: Float64Array, { evidence, scoreRatio }: Pair): number {
  return (
    1 / (1 + Math.exp(-updateFeatures(evidence, scoreRatio).reduce((sum, x, i) => sum + x * weights[i]!, 0)))
  )
}

function chanceNow({ evidence, scoreRatio }: Pair): number {
  return chanceOfNewer(evidence, scoreRatio)
}

function loss(some: readonly Pair[], chanceOf: (pair: Pair) => number): number {
  return (
    some.reduce((sum, pair) => sum - Math.log(pair.isNewer ? chanceOf(pair) : 1 - chanceOf(pair)), 0) /
    some.length
  )
}

/** Logistic regression with an L2 penalty of 1 on all but the base. */
function fit(some: readonly Pair[]): Float64Array {
  return minimize((weights) => {
    const gradient = weights.map((weight, i) => (i === 0 ? 0 : weight))
    let value = gradient.reduce((sum, weight) => sum + weight ** 2 / 2, 0)
    for (const pair of some) {
      const p = chance(weights, pair)
      value -= Math.log(pair.isNewer ? p : 1 - p)
      for (const [i, x] of updateFeatures(pair.evidence, pair.scoreRatio).entries())
        gradient[i]! += (p - Number(pair.isNewer)) * x
    }
    return { value, gradient }
  }, new Float64Array(3))
}
