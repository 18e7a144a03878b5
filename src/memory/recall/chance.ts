import { inverseDocumentFrequency } from "../../base/index.ts"
import type { Corpus } from "./index/corpus.ts"
import type { RecallQuestion } from "./question.ts"
import type { RecallHit } from "./rank.ts"

/**
 * Logistic regression on the first ten hits of 1,700 open questions to conversations and notes of projects, and of the
 * same questions asked of other conversations and projects (docs/decisions/figures.md). The vectors are left out, so that
 * it holds for each embedder.
 */
const INTERCEPT = -3.128
const COEFFICIENTS = {
  /** ln(1 + rank), the first hit being 0. */
  rank: -1.088,
  /** Score without the cosine. */
  score: 2.069,
  /** That of the first hit. */
  first: 1.254,
  /** Share of the question's idf that the entry has. */
  share: 2.505,
  /** ln(1 + number of the question's terms). */
  terms: 0.641,
  /** ln(number of entries). */
  entries: -0.263,
  /** Share of the question's idf that no entry has. */
  unknown: -1.871,
}

/** Cosine from which a note can be meant by a question without its words; messages of sessions are alike in tone. */
const MEANT = 0.15

type Ranked = Readonly<Record<"slot" | "byWords" | "cosine", number>>

/** Chances, 0 to 1, that the hits of a question, best first, are the answer. `hasModel`: the cosines are those of a model. */
export function chancesOf(
  corpus: Corpus,
  question: RecallQuestion,
  ranked: readonly Ranked[],
  hasModel: boolean,
): number[] {
  const entries = Math.max(corpus.size, MIN_ENTRIES)
  // The question's own idf says little in a small store, in which each word that no entry has seems rare.
  const terms = question.terms.map(({ variants }) => {
    const numbers = variants.map(({ number }) => number)
    const holders = Math.max(0, ...numbers.map((number) => corpus.holders(number)))
    return { numbers, idf: inverseDocumentFrequency(entries, holders) }
  })
  const all = terms.reduce((sum, { idf }) => sum + idf, 0)
  const shareOf = (isCounted: (numbers: readonly number[]) => boolean) =>
    terms.reduce((sum, { numbers, idf }) => sum + (isCounted(numbers) ? idf : 0), 0) / all
  const rest = {
    ...{ first: ranked[0]?.byWords ?? 0, terms: Math.log1p(terms.length), entries: Math.log(corpus.size) },
    unknown: shareOf((numbers) => numbers.length === 0),
  }
  return ranked.map(({ slot, byWords, cosine }, rank) => {
    const { terms: own } = corpus.at(slot)!
    const share = shareOf((numbers) => numbers.some((number) => own.includes(number)))
    const values = { ...rest, rank: Math.log1p(rank), score: byWords, share }
    let odds = INTERCEPT
    for (const name of Object.keys(values) as (keyof typeof values)[])
      odds += COEFFICIENTS[name] * values[name]
    const isMeant = hasModel && cosine >= MEANT && corpus.sessions.of(slot) < 0
    return Math.max(1 / (1 + Math.exp(-odds)), isMeant ? NOTHING_FITS : 0)
  })
}

/** For the rarity of words, fewer entries count as this many. */
const MIN_ENTRIES = 20

/** Number of hits among which the best chance is looked for; conflicts may move a hit of this many to the front. */
const CONSIDERED = 10

/** The best chance of the hits; 0 if there are none. */
export function bestChance(hits: readonly { readonly chance: number }[]): number {
  return Math.max(0, ...hits.slice(0, CONSIDERED).map(({ chance }) => chance))
}

/**
 * Best chance below which the hits of an answer are about something else; of questions with an answer to messages, 4 in 100
 * are, of those to notes in other words 5 in 90 (at .08: 16).
 */
const [NOTHING_FITS, NO_NOTE_FITS] = [0.08, 0.02]

/** Best chance from which an answer that nobody asked for is worth its place: 5 in 1,000 questions about other notes reach it. */
export const LIKELY = 0.38

/** Shares of the best score at which an answer ends. A conversation has several answers, but its scores fall less. */
const END = { note: 0.3, message: 0.5 }

/** The hits up to the last one with a score worth showing, and those that only relations of entities lead to; none if nothing fits. */
export function fitting<H extends Fitted>(hits: readonly H[], best: number): readonly H[] {
  if (best < (hits[0]?.hit.document.session === null ? NO_NOTE_FITS : NOTHING_FITS)) return []
  const greatest = Math.max(...hits.map(({ hit }) => hit.score))
  const shareOf = ({ hit }: H) => END[hit.document.session === null ? "note" : "message"]
  const last = hits.findLastIndex((each) => each.hit.score >= shareOf(each) * greatest)
  return hits.filter(({ hit }, at) => at <= last || isRelated(hit))
}

type Fitted = { readonly hit: Pick<RecallHit, "score" | "document" | "terms"> }

function isRelated({ terms }: Fitted["hit"]): boolean {
  return terms.some(({ name }) => name === "near") && !terms.some(({ name }) => name === "passage")
}

/** Share of the best score below which one line of a note is enough; three notes of an answer are above it. */
const WHOLE = 0.7

/** The hits, those of which one line is enough marked so. */
export function inLine<H extends { readonly score: number; readonly session: string | null }>(
  hits: readonly H[],
) {
  const least = WHOLE * Math.max(...hits.map(({ score }) => score))
  return hits.map((hit) =>
    hit.session === null && hit.score < least ? { ...hit, in_line: true as const } : hit,
  )
}
