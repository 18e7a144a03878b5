/*
 * The odds that of two sentences the later one replaces or denies the earlier one: facts about the pair and their products,
 * with weights fitted on labelled pairs (scripts/note-updates.ts writes odds.json).
 */

import { compareTokens, coverage, type Token } from "./compare.ts"
import type { Cues } from "./cues.ts"
import weights from "./odds.json" with { type: "json" }

/** A sentence as it is compared. */
export type ReadSentence = { readonly tokens: readonly Token[]; readonly cues: Cues }

/** Minimum log odds of a conflict. Of 100 open look-alikes in languages that were left out of the fit, 6 are above it. */
export const MIN_ODDS = weights.min

/** Facts about a pair, each between -1 and 6. `asked`: tokens of the question. */
export function pairFacts(older: ReadSentence, newer: ReadSentence, asked: readonly Token[]): Facts {
  const compared = compareTokens(older.tokens, newer.tokens)
  const [askedOld, askedNew] = [coverage(asked, older.tokens), coverage(asked, newer.tokens)]
  return {
    ...compared,
    denies: Number(older.cues.denies !== newer.cues.denies),
    adds: Number(newer.cues.adds && !older.cues.adds),
    doubts: Number(newer.cues.doubts && !older.cues.doubts),
    doubted: Number(older.cues.doubts),
    changes: Number(newer.cues.changes),
    changed: Number(older.cues.changes),
    askedOld,
    askedNew,
    askedBoth: Math.min(askedOld, askedNew),
    askedLess: askedOld - askedNew,
    askedName: Number(
      asked.some(
        (one) =>
          one.kind !== "word" && coverage([one], older.tokens) > 0 && coverage([one], newer.tokens) === 0,
      ),
    ),
    toldYear: Number(newer.tokens.some(isYear) && !older.tokens.some(isYear)),
  }
}

const isYear = ({ key }: Token) => /^(?:19|20)\d\d$/.test(key)

type Facts = { readonly [name: string]: number }

/** The facts that the weights belong to, in order: a constant, each fact, each product of two. */
export function weightedFacts(facts: Facts): number[] {
  const all = [1, ...Object.values(facts)]
  // Indexed loops: a question asks for the products of up to 45 pairs.
  const { length } = all
  for (let i = 1; i < length; i++) for (let j = i + 1; j < length; j++) all.push(all[i]! * all[j]!)
  return all
}

export function oddsOf(facts: Facts): number {
  return weightedFacts(facts).reduce((sum, value, i) => sum + value * weights.weights[i]!, 0)
}
