import type { TextSpan } from "../../text/sentences.ts"
import type { Entry } from "../entry.ts"
import type { Asking } from "./asking.ts"
import type { Clause } from "./clauses.ts"
import type { Facts } from "./facts.ts"
import { type Reading, readEntry } from "./reading.ts"
import { raritySum } from "./shares.ts"

/** An entry that was found: what ranking knows of it. */
export type Hit = {
  readonly entry: Entry
  readonly score: number
  /** Of a long text, the part that matched; the whole text where absent. */
  readonly window?: TextSpan | null
}

/** What one hit says in answer to the question: its best sentence, and what is around it. */
export type Statement = Facts & {
  readonly entry: Entry
  readonly score: number
  readonly rank: number
  /** When what it says dates from, in milliseconds. */
  readonly at: number
  /** Of the sentence's stems together. */
  readonly rarity: number
  /** Stems of the question found in the sentence or its neighbours. */
  readonly asked: ReadonlySet<string>
  /** Its tags and entities, in one form. */
  readonly labels: ReadonlySet<string>
  readonly clauses: readonly Clause[]
}

/** So much less rarity is made up for by a value of the right kind. */
const NEARLY = 0.5

export function readStatement({ entry, score, window }: Hit, rank: number, asking: Asking): Statement {
  const reading = readEntry(entry, window ?? null)
  asking.words.meet(reading.words)
  const best = bestSentence(reading, asking)
  const facts = reading.factsOf(best)
  return {
    ...facts,
    entry,
    score,
    rank,
    at: statedAt(entry),
    rarity: raritySum(facts.stemSet, asking.words),
    asked: askedAround(reading, best, asking),
    labels: reading.labels,
    clauses: reading.sentences.flatMap(({ stemSet }, at) =>
      stemSet.isDisjointFrom(asking.asked) ? [] : reading.clausesOf(at),
    ),
  }
}

/** Stems of the question in that sentence and in its neighbours. */
function askedAround({ sentences }: Reading, at: number, { asked }: Asking): Set<string> {
  const found = new Set<string>()
  const near = [sentences[at], sentences[at - 1], sentences[at + 1]]
  for (const one of asked) if (near.some((sentence) => sentence?.stemSet.has(one))) found.add(one)
  return found
}

/** Since when it holds, else when it was said; under a key, said anew. */
function statedAt({ validFrom, key, revisedAt, recordedAt }: Entry): number {
  return Date.parse(validFrom ?? (key === null ? recordedAt : revisedAt))
}

/** The one that has most of what is asked; among equals the one that states a value of the kind that is asked for. */
function bestSentence({ sentences, valuesOf }: Reading, { question, asked, words }: Asking): number {
  if (sentences.length < 2) return 0
  const scores = sentences.map(({ stemSet }) => {
    let score = 0
    for (const one of asked) if (stemSet.has(one)) score += words.rarityOf(one)
    return score
  })
  const most = Math.max(...scores, 0)
  const near = scores.flatMap((score, at) => (score > 0 && score >= most - NEARLY ? [at] : []))
  const telling = near.find((at) => valuesOf(at).some(({ type }) => question.wants.has(type)))
  return telling ?? Math.max(0, scores.indexOf(most))
}
