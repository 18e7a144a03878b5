/*
 * Ranks entries for a question. `rankSlots`: 1. cheap terms of the sum by words, sessions, topics and tags; 2. the
 * best entries by that sum, and the first of the vector and graph channels, are the
 * candidates; 3. cosines and the expensive terms are computed for the candidates only; 4. factors for role, project
 * and length give the final order.
 */

import { compareTexts } from "../../base/index.ts"
import { IS_QUESTION, type Labels, type RecallDocument, type TextWindow } from "./index/analyse.ts"
import type { Corpus, IndexedEntry } from "./index/corpus.ts"
import {
  type AcceptsSlot,
  entryTerms,
  keywordChannels,
  shortness,
  wasRecordedThen,
} from "./keyword-channels.ts"
import type { RecallQuestion } from "./question.ts"
import {
  DATED_FACTOR,
  OWN_PROJECT_FACTOR,
  PERSON_FACTOR,
  proximityOf,
  type Scores,
  type TermName,
  TopSlots,
  type Weights,
  type WordScores,
} from "./scores.ts"

type RankedSlot = {
  readonly slot: number
  /** The sum of the terms as a share of the greatest possible sum, 0 to 1. */
  readonly score: number
  /** The same without the cosine. */
  readonly byWords: number
  /** The cosine between the question and the nearest part of the entry, both less what the candidates have in common. */
  readonly cosine: number
  readonly terms: readonly { readonly name: TermName; readonly value: number }[]
  /** Number of the best passage; -1 when no passage contains a word of the question. */
  readonly passage: number
}

type RankOptions = {
  readonly limit: number
  readonly accepts: AcceptsSlot
  readonly weights: Weights
  /** Factor on the cosine of entries from a session (a conversation); the factor of all other entries is 1. */
  readonly spokenCosine: number
  /** Entries of this project get a bonus; null for none. */
  readonly project: string | null
  readonly cosines: Cosines | null
  /** Graph channel: closeness of entries to the hits so far and to what the question names, by id, on any scale. */
  readonly near: NearestEntries | null
}

/** `first`: the nearest slots by vector, best first. `second`: more precise cosines for a few slots. */
type Cosines = {
  readonly first: readonly number[]
  readonly second: (slots: readonly number[]) => ReadonlyMap<number, number>
}

/** Returns the entries for which `accepts` is true, nearest first, with their scores. */
export type NearestEntries = (
  hits: readonly (readonly [id: string, score: number])[],
  accepts: (id: string) => boolean,
) => ReadonlyMap<string, number>

/** The entries that answer best, best first. */
export function rank(corpus: Corpus, question: RecallQuestion, options: RankOptions): RankedSlot[] {
  try {
    return rankSlots(corpus, question, options)
  } finally {
    corpus.releaseScores()
  }
}

function rankSlots(corpus: Corpus, question: RecallQuestion, options: RankOptions): RankedSlot[] {
  const { accepts, weights, cosines } = options
  const { words, answer, session } = keywordChannels(corpus, question, accepts)
  const sum = new TermSum(corpus, question, weights, words)
  const greatestPassage = sum.ofWords("passage")
  sum.ofWords("window")
  sum.everywhere("answer", answer)
  // Good answers elsewhere in its session raise an entry's score only if the entry has a score of its own.
  sum.beside("session", session, greatestPassage)
  sum.ofWords("grams")
  sum.labels("topic", corpus.topics)
  sum.labels("tags", corpus.tags)
  const factor = factorOf(corpus, question, options.project)
  const nameOf = (slot: number) => corpus.idAt(slot)
  const byWords = sum.best(Math.max(CANDIDATES, options.limit), accepts, factor)
  const close = byWords.slice(0, CANDIDATES)
  const near = graphScores(
    corpus,
    close.slice(0, SEEDS).map((slot) => [nameOf(slot), sum.of(slot) * factor(corpus.at(slot)!)]),
    options,
  )
  const found = [...near.keys()].slice(0, CHANNEL_DEPTH)
  const candidates = [...new Set([...close, ...(cosines?.first ?? []), ...found])]
  const alike = cosines === null ? NOTHING : cosines.second(candidates)
  const minCosine = close.length > 0 ? MIN_COSINE.beside : MIN_COSINE.alone
  const slots = candidates.filter(
    (slot) => words.isListed(slot) || near.has(slot) || (alike.get(slot) ?? 0) >= minCosine,
  )
  const proximity = proximityOf(question, corpus.dictionary.size)
  sum.among("proximity", slots, (slot) => (words.passage[slot]! > 0 ? proximity(corpus.at(slot)!.tokens) : 0))
  // The less of the question's words the best passage has, the more the cosine counts: up to three times as much.
  const share = 0.5 + (1 - Math.min(1, greatestPassage / question.idfSum)) ** 2
  sum.among(
    "cosine",
    slots,
    (slot) => alike.get(slot) ?? 0,
    (slot) => share * (corpus.sessions.of(slot) < 0 ? 1 : options.spokenCosine),
  )
  sum.among("near", slots, (slot) => near.get(slot) ?? 0)
  const top = new TopSlots(options.limit, nameOf)
  // The candidates are the same for every limit, so that a longer list begins with the shorter one. The expensive terms
  // are never negative, so that none of the others belongs among the first CANDIDATES.
  for (const slot of new Set([...slots, ...byWords])) top.add(slot, sum.of(slot) * factor(corpus.at(slot)!))
  return top.slots().map((slot) => {
    const terms = sum.terms(slot, factor(corpus.at(slot)!) / factor.greatest)
    const total = (left: TermName | null) =>
      terms.reduce((total, { name, value }) => (name === left ? total : total + value), 0)
    return {
      slot,
      score: total(null),
      byWords: total("cosine") / (1 - weights.cosine / sum.greatest),
      cosine: alike.get(slot) ?? 0,
      terms,
      passage: words.bestPassage[slot]! - 1,
    }
  })
}

const NOTHING: ReadonlyMap<number, number> = new Map()

/** Number of entries, by the cheap terms, for which the expensive terms are computed. */
const CANDIDATES = 50
/**
 * Min cosine of an entry that shares no word with the question. If other entries share words, a low cosine is enough,
 * and the entry is added at the end of the list; if none does, only a high cosine counts as an answer.
 */
const MIN_COSINE = { beside: 0.01, alone: 0.3 }
/** Number of entries of the vector and of the graph channel that become candidates. */
export const CHANNEL_DEPTH = 30
/** Number of hits from which the graph channel starts. */
const SEEDS = 20
/** The graph channel's scores by slot, best first; includes entries that contain no word of the question. */
function graphScores(
  corpus: Corpus,
  hits: readonly (readonly [string, number])[],
  { accepts, near }: RankOptions,
): Map<number, number> {
  if (near === null) return new Map()
  const found = near(hits, (id) => {
    const slot = corpus.slotOf(id)
    return slot >= 0 && accepts(slot)
  })
  return new Map([...found].map(([id, score]) => [corpus.slotOf(id), score]))
}

/** The weighted terms of each slot. A term that compares entries is divided by its best value for this question. */
class TermSum {
  readonly #corpus: Corpus
  readonly #question: RecallQuestion
  readonly #weights: Weights
  readonly #words: WordScores
  readonly #columns: { name: TermName; value: (slot: number) => number }[] = []
  #beside: (slot: number) => number = () => 0
  /** Greatest value of `#beside`. */
  #maxBeside = 0

  constructor(corpus: Corpus, question: RecallQuestion, weights: Weights, words: WordScores) {
    this.#corpus = corpus
    this.#question = question
    this.#weights = weights
    this.#words = words
  }

  /** The greatest possible sum. */
  get greatest(): number {
    return Object.values(this.#weights).reduce((sum, weight) => sum + Math.max(0, weight), 0)
  }

  /** Adds a term from the scores by words; returns its greatest value. */
  ofWords(name: "passage" | "window" | "grams"): number {
    const { [name]: values, total, slots, count } = this.#words
    let greatest = 0
    for (let i = 0; i < count; i++) greatest = Math.max(greatest, values[slots[i]!]!)
    if (greatest === 0) return 0
    const scale = this.#weights[name] / greatest
    for (let i = 0; i < count; i++) total[slots[i]!]! += values[slots[i]!]! * scale
    this.#columns.push({ name, value: (slot) => values[slot]! * scale })
    return greatest
  }

  /** Adds a term of the sum. Entries with a value above 0 become candidates. `shareOf`: factor for a slot, 1 or less. */
  everywhere(name: TermName, scores: Scores, shareOf: (slot: number) => number = () => 1): void {
    const greatest = scores.greatest()
    if (greatest === 0) return
    const scale = this.#weights[name] / greatest
    const value = (slot: number) => scores.of(slot) * scale * shareOf(slot)
    for (let i = 0; i < scores.count; i++) {
      const slot = scores.slots[i]!
      this.#words.list(slot)
      this.#words.total[slot]! += value(slot)
    }
    this.#columns.push({ name, value })
  }

  /** Adds a term that makes no entry a candidate and is computed only for entries that already are. */
  beside(name: TermName, scoreOf: (slot: number) => number, greatest: number): void {
    if (greatest === 0) return
    const scale = this.#weights[name] / greatest
    const value = (slot: number) => scoreOf(slot) * scale
    this.#beside = value
    this.#maxBeside = Math.max(0, greatest * scale)
    this.#columns.push({ name, value })
  }

  /** Adds a term: the share of the question's total idf that the topic, or the tags, cover. */
  labels(name: "topic" | "tags", labels: Labels): void {
    const { terms, idfSum } = this.#question
    const shares = this.#corpus.scores.take(this.#corpus.capacity)
    const found = this.#corpus.scores.take(this.#corpus.capacity)
    for (const { idf, variants } of terms) {
      for (const { number } of variants) {
        const slots = labels.of(number)
        for (let i = 0; i < slots.length; i++) found.raise(slots[i]!, 1)
      }
      for (let i = 0; i < found.count; i++) shares.add(found.slots[i]!, idf / idfSum)
      found.clear()
    }
    this.#corpus.scores.giveBack(found)
    this.everywhere(name, shares)
  }

  /** Adds a term for the given slots only. */
  among(
    name: TermName,
    slots: readonly number[],
    scoreOf: (slot: number) => number,
    shareOf: (slot: number) => number = () => 1,
  ): void {
    const scores = this.#corpus.scores.take(this.#corpus.capacity)
    for (const slot of slots) scores.add(slot, scoreOf(slot))
    this.everywhere(name, scores, shareOf)
  }

  /** The best candidates by the terms added so far, best first. */
  best(limit: number, accepts: AcceptsSlot, factor: Factor): readonly number[] {
    const best = new TopSlots(limit, (slot) => this.#corpus.idAt(slot))
    const maxOwn = maxOwnSum(this.#question, this.#weights)
    for (let i = 0; i < this.#words.count; i++) {
      const slot = this.#words.slots[i]!
      // The other terms are expensive to compute, so skip entries that cannot be among the best even with the maximum.
      const total = this.#words.total[slot]!
      if (!best.admits((total + this.#maxBeside + maxOwn) * factor.greatest)) continue
      const upperBound = total + this.#beside(slot) + maxOwn
      if (!best.admits(upperBound * factor.greatest) || !accepts(slot)) continue
      const share = factor(this.#corpus.at(slot)!)
      if (best.admits(upperBound * share)) best.add(slot, this.of(slot) * share)
    }
    return best.slots()
  }

  of(slot: number): number {
    const own = entryTerms(this.#question, this.#corpus.at(slot)!)
    const sum = ENTRY_TERMS.reduce((total, name) => total + this.#weights[name] * own[name], 0)
    return this.#words.total[slot]! + this.#beside(slot) + sum
  }

  /**
   * The terms of a slot. `share`: the slot's factor divided by the greatest factor. Each term is divided by the
   * greatest possible sum, so that they add up to a number from 0 to 1.
   */
  terms(slot: number, share: number): RankedSlot["terms"] {
    const entry = this.#corpus.at(slot)!
    const scale = share / this.greatest
    const values = entryTerms(this.#question, entry)
    const own = ENTRY_TERMS.map((name) => ({ name, value: this.#weights[name] * values[name] }))
    const compared = this.#columns.map(({ name, value }) => ({ name, value: value(slot) }))
    return [...compared, ...own]
      .filter(({ value }) => value !== 0)
      .map(({ name, value }) => ({ name, value: value * scale }))
  }
}

/** Upper bound of the sum of the entry's own terms for this question. */
function maxOwnSum({ author, asksWhen, asksHowMany, dates }: RecallQuestion, weights: Weights): number {
  return (
    (author === null ? 0 : weights.author) +
    (asksWhen ? weights.date : 0) +
    (asksHowMany ? weights.number : 0) +
    (dates.length > 0 ? weights.recorded : 0) +
    Math.max(0, weights.length) +
    Math.max(0, weights.asking) +
    Math.max(0, weights.self)
  )
}

const ENTRY_TERMS = ["author", "date", "recorded", "number", "length", "asking", "self"] as const

type Factor = ((entry: IndexedEntry) => number) & { readonly greatest: number }

/**
 * Factor on an entry's score: higher for what a person said than for a long text of an agent or tool, unless
 * the question asks what an agent said; higher for the project's own entries, and for notes of a named date.
 */
function factorOf(corpus: Corpus, question: RecallQuestion, project: string | null): Factor {
  const isMixed = corpus.persons > 0 && corpus.agents > 0
  const person = isMixed && !question.asksAgent ? PERSON_FACTOR : 1
  const own = project === null ? 1 : OWN_PROJECT_FACTOR
  // Short statements of an agent or tool get a bonus because they are mostly findings. A question is not a finding
  // and gets no bonus.
  const brevity = ({ flags, words }: IndexedEntry) => ((flags & IS_QUESTION) === 0 ? shortness(words) : 0)
  const speaker = (entry: IndexedEntry) =>
    // A note without a role ranks like the words of a person, because it was worth writing down.
    ["agent", "tool"].includes(entry.document.role ?? "") ? 1 + (person - 1) * brevity(entry) : person
  const dated = question.dates.length > 0 ? DATED_FACTOR : 1
  const isDated = ({ document }: IndexedEntry) =>
    dated > 1 && document.session === null && wasRecordedThen(question, document)
  const factor = (entry: IndexedEntry) =>
    speaker(entry) * (entry.document.project === project ? own : 1) * (isDated(entry) ? dated : 1)
  return Object.assign(factor, { greatest: person * own * dated })
}

export type RecallHit = {
  readonly document: RecallDocument
  /** 0 to 1. */
  readonly score: number
  /** Chance, 0 to 1, that it is the answer; 1 of entries that are listed without a question. */
  readonly chance: number
  /** The cosine between the question and its nearest part, both less what the candidates have in common. */
  readonly cosine: number
  /** The weighted terms that add up to the score. */
  readonly terms: RankedSlot["terms"]
  /** The passage of the text that answers best. */
  readonly window: TextWindow
}

export function hitOf(
  corpus: Corpus,
  { slot, score, terms, passage, cosine }: Omit<RankedSlot, "byWords">,
  chance: number,
): RecallHit {
  const { document, windows, first } = corpus.at(slot)!
  return { document, score, chance, cosine, terms, window: windows[Math.max(0, passage - first)]! }
}

/** The newest accepted entries, newest first; the answer to a question that contains no word. */
export function newestHits(corpus: Corpus, accepts: (slot: number) => boolean, limit: number): RecallHit[] {
  const slots = corpus.slots().filter(accepts)
  const documents = slots.map((slot) => ({ slot, document: corpus.at(slot)!.document }))
  documents.sort(
    (a, b) =>
      compareTexts(b.document.recordedAt, a.document.recordedAt) ||
      compareTexts(b.document.id, a.document.id),
  )
  return documents
    .slice(0, limit)
    .map(({ slot }) => hitOf(corpus, { slot, score: 0, terms: [], passage: -1, cosine: 0 }, 0))
}
