import { IS_QUESTION } from "./analyse.ts"
import { Best } from "./best.ts"
import type { Corpus, Held } from "./corpus.ts"
import { keywordScores } from "./corpus-texts.ts"
import { entryTerms } from "./entry-channels.ts"
import { fuse, ranking } from "./fusion.ts"
import { gramChannel } from "./gram-channel.ts"
import { type Accepts, keywordChannels, shortness } from "./keyword-channels.ts"
import type { Labels } from "./labels.ts"
import { proximityOf } from "./proximity.ts"
import type { Question } from "./question.ts"
import type { Scores } from "./scores.ts"
import {
  type ChannelWeights,
  OWN_PROJECT_FACTOR,
  PERSON_FACTOR,
  type TermName,
  type Weights,
} from "./weights.ts"

export type Ranked = {
  readonly slot: number
  /** Share of what could be reached, 0 to 1; the sum of its terms. */
  readonly score: number
  readonly terms: readonly { readonly name: TermName; readonly value: number }[]
  /** Number of its best passage, -1 where none holds a word of the question. */
  readonly passage: number
}

export type RankOptions = {
  readonly limit: number
  readonly accepts: Accepts
  readonly weights: Weights
  /** What the cosine counts of what was said in a conversation, as a share of what it counts else. */
  readonly spokenCosine: number
  /** Entries of this project come a little before others. */
  readonly project: string | null
  readonly cosines: Cosines | null
  /** How near entries are over the graph to the hits so far and to what the question names, by id; any scale. */
  readonly near: Near | null
  readonly channels: ChannelWeights
  /** The keyword channel's slots, best first; null: by the postings at hand. */
  readonly keyword: readonly number[] | null
}

/** The nearest slots by the vectors, best first; and their second, finer look at a few. */
export type Cosines = {
  readonly first: readonly number[]
  readonly second: (slots: readonly number[]) => ReadonlyMap<number, number>
}

/** The nearest first, of entries that `accepts` lets pass. */
export type Near = (
  hits: readonly (readonly [id: string, score: number])[],
  accepts: (id: string) => boolean,
) => ReadonlyMap<string, number>

/** The entries that answer best, best first. */
export function rank(corpus: Corpus, question: Question, options: RankOptions): Ranked[] {
  try {
    return ranked(corpus, question, options)
  } finally {
    corpus.scores.release()
  }
}

function ranked(corpus: Corpus, question: Question, options: RankOptions): Ranked[] {
  const { accepts, weights, cosines } = options
  const { passage, window, answer, session, bestPassage } = keywordChannels(corpus, question, accepts)
  const sum = new Sum(corpus, question, weights)
  sum.everywhere("passage", passage)
  sum.everywhere("window", window)
  sum.everywhere("answer", answer)
  // That others of its session answer well tells of an entry only beside something of its own.
  sum.beside("session", session, passage.greatest())
  sum.everywhere("grams", gramChannel(corpus, question))
  sum.labels("topic", corpus.topics)
  sum.labels("tags", corpus.tags)
  const factor = factorOf(corpus, question, options.project)
  const nameOf = (slot: number) => corpus.held(slot)!.document.id
  const close = sum.best(Math.max(CANDIDATES, options.limit), accepts, factor)
  const near = nearest(
    corpus,
    close.slice(0, SEEDS).map((slot) => [nameOf(slot), sum.of(slot) * factor(corpus.held(slot)!)]),
    options,
  )
  const { keyword, vector, graph } = options.channels
  const fused = fuse([
    {
      slots: options.keyword ?? ranking(keywordScores(corpus, question, accepts), FUSED, nameOf),
      weight: keyword,
    },
    { slots: cosines?.first ?? [], weight: vector },
    { slots: [...near.keys()].slice(0, FUSED), weight: graph },
  ])
  const candidates = [...new Set([...close, ...fused.keys()])]
  const alike = cosines === null ? NOTHING : cosines.second(candidates)
  const least = close.length > 0 ? LEAST_COSINE.beside : LEAST_COSINE.alone
  const slots = candidates.filter(
    (slot) => sum.isTouched(slot) || near.has(slot) || (alike.get(slot) ?? 0) >= least,
  )
  const proximity = proximityOf(question, corpus.dictionary.size)
  sum.among("proximity", slots, (slot) => (passage.of(slot) > 0 ? proximity(corpus.held(slot)!.tokens) : 0))
  const spoken = options.spokenCosine
  sum.among(
    "cosine",
    slots,
    (slot) => alike.get(slot) ?? 0,
    (slot) => (corpus.sessions.of(slot) < 0 ? 1 : spoken),
  )
  sum.among("near", slots, (slot) => near.get(slot) ?? 0)
  sum.among("fusion", slots, (slot) => fused.get(slot) ?? 0)
  const top = new Best(options.limit, nameOf)
  for (const slot of slots) top.add(slot, sum.of(slot) * factor(corpus.held(slot)!))
  return top.slots().map((slot) => {
    const terms = sum.terms(slot, factor(corpus.held(slot)!) / factor.greatest)
    return {
      slot,
      score: terms.reduce((total, { value }) => total + value, 0),
      terms,
      passage: bestPassage(slot),
    }
  })
}

const NOTHING: ReadonlyMap<number, number> = new Map()

/** So many by the cheap terms are looked at closely. */
const CANDIDATES = 50
/**
 * What shares no word with the question fills up the list where vectors are a little alike. Where nothing shares a
 * word, nothing is known, unless they are much alike.
 */
const LEAST_COSINE = { beside: 0.01, alone: 0.3 }
/** So many of each channel are fused. */
export const FUSED = 30
/** The hits that lead into the graph. */
const SEEDS = 20
/** The graph's word by slot, best first: of entries that no word of the question touches, too. */
function nearest(
  corpus: Corpus,
  hits: readonly (readonly [string, number])[],
  { accepts, near }: RankOptions,
): Map<number, number> {
  if (near === null) return new Map()
  const slotOf = (id: string): number => corpus.slots.get(id) ?? -1
  const found = near(hits, (id) => {
    const slot = slotOf(id)
    return slot >= 0 && accepts(slot)
  })
  return new Map([...found].map(([id, score]) => [slotOf(id), score]))
}

/** The weighted terms of each slot; those that compare entries are divided by the question's best. */
class Sum {
  readonly #corpus: Corpus
  readonly #question: Question
  readonly #weights: Weights
  readonly #columns: { name: TermName; value: (slot: number) => number }[] = []
  readonly #total: Scores
  /** Where the question's words lead to, or near it. */
  readonly #touched: Scores
  #beside: (slot: number) => number = () => 0

  constructor(corpus: Corpus, question: Question, weights: Weights) {
    this.#corpus = corpus
    this.#question = question
    this.#weights = weights
    this.#total = corpus.scores.take(corpus.capacity)
    this.#touched = corpus.scores.take(corpus.capacity)
  }

  /** Who has it is a candidate. */
  everywhere(name: TermName, scores: Scores): void {
    const greatest = scores.greatest()
    if (greatest === 0) return
    const scale = this.#weights[name] / greatest
    for (let i = 0; i < scores.count; i++) {
      const slot = scores.slots[i]!
      this.#total.add(slot, scores.of(slot) * scale)
      this.#touched.raise(slot, 1)
    }
    this.#columns.push({ name, value: (slot) => scores.of(slot) * scale })
  }

  /** What makes nobody a candidate; asked only of those that are. */
  beside(name: TermName, scoreOf: (slot: number) => number, greatest: number): void {
    if (greatest === 0) return
    const scale = this.#weights[name] / greatest
    const value = (slot: number) => scoreOf(slot) * scale
    this.#beside = value
    this.#columns.push({ name, value })
  }

  /** The share of the question's rarity that topics, or tags, cover. */
  labels(name: "topic" | "tags", labels: Labels): void {
    const { terms, idfSum } = this.#question
    const shares = this.#corpus.scores.take(this.#corpus.capacity)
    const found = this.#corpus.scores.take(this.#corpus.capacity)
    for (const { idf, variants } of terms) {
      for (const { number } of variants) for (const slot of labels.of(number)) found.raise(slot, 1)
      for (let i = 0; i < found.count; i++) shares.add(found.slots[i]!, idf / idfSum)
      found.clear()
    }
    this.everywhere(name, shares)
  }

  /** `shareOf`: what it counts for a slot, 1 or less. */
  among(
    name: TermName,
    slots: readonly number[],
    scoreOf: (slot: number) => number,
    shareOf: (slot: number) => number = () => 1,
  ): void {
    const scores = this.#corpus.scores.take(this.#corpus.capacity)
    for (const slot of slots) scores.add(slot, scoreOf(slot))
    const greatest = scores.greatest()
    if (greatest === 0) return
    const scale = this.#weights[name] / greatest
    const value = (slot: number) => scores.of(slot) * scale * shareOf(slot)
    for (let i = 0; i < scores.count; i++) this.#total.add(scores.slots[i]!, value(scores.slots[i]!))
    this.#columns.push({ name, value })
  }

  /** The best by what is known so far, of those that the question touches at all. */
  best(limit: number, accepts: Accepts, factor: Factor): readonly number[] {
    const best = new Best(limit, (slot) => this.#corpus.held(slot)!.document.id)
    const most = mostOwn(this.#question, this.#weights)
    for (let i = 0; i < this.#touched.count; i++) {
      const slot = this.#touched.slots[i]!
      // What it has of its own takes longer to tell than that it cannot matter.
      const hoped = this.#total.of(slot) + this.#beside(slot) + most
      if (!best.admits(hoped * factor.greatest) || !accepts(slot)) continue
      const share = factor(this.#corpus.held(slot)!)
      if (best.admits(hoped * share)) best.add(slot, this.of(slot) * share)
    }
    return best.slots()
  }

  isTouched(slot: number): boolean {
    return this.#touched.of(slot) > 0
  }

  of(slot: number): number {
    const own = ownSum(this.#question, this.#corpus.held(slot)!, this.#weights)
    return this.#total.of(slot) + this.#beside(slot) + own
  }

  /** `share` of the greatest factor; divided by what could be reached, so that they add up to 0 to 1. */
  terms(slot: number, share: number): Ranked["terms"] {
    const held = this.#corpus.held(slot)!
    const scale = share / Object.values(this.#weights).reduce((sum, weight) => sum + Math.max(0, weight), 0)
    const values = entryTerms(this.#question, held)
    const own = OWN.map((name) => ({ name, value: this.#weights[name] * values[name] }))
    const compared = this.#columns.map(({ name, value }) => ({ name, value: value(slot) }))
    return [...compared, ...own]
      .filter(({ value }) => value !== 0)
      .map(({ name, value }) => ({ name, value: value * scale }))
  }
}

function ownSum(question: Question, held: Held, weights: Weights): number {
  const { author, date, number, length, asking, self } = entryTerms(question, held)
  return (
    weights.author * author +
    weights.date * date +
    weights.number * number +
    weights.length * length +
    weights.asking * asking +
    weights.self * self
  )
}

/** No entry has more of its own. */
function mostOwn({ author, asksWhen, asksHowMany }: Question, weights: Weights): number {
  return (
    (author === null ? 0 : weights.author) +
    (asksWhen ? weights.date : 0) +
    (asksHowMany ? weights.number : 0) +
    Math.max(0, weights.length) +
    Math.max(0, weights.asking) +
    Math.max(0, weights.self)
  )
}

const OWN = ["author", "date", "number", "length", "asking", "self"] as const

type Factor = ((held: Held) => number) & { readonly greatest: number }

/**
 * Whose words count for more: a person's than what a machine said at length, unless the question asks for that; the
 * project's own.
 */
function factorOf(corpus: Corpus, question: Question, project: string | null): Factor {
  const isMixed = corpus.persons > 0 && corpus.agents > 0
  const person = isMixed && !question.asksAgent ? PERSON_FACTOR : 1
  const own = project === null ? 1 : OWN_PROJECT_FACTOR
  // What it asks it has not found out.
  const brevity = ({ flags, tokens }: Held) => ((flags & IS_QUESTION) === 0 ? shortness(tokens.length) : 0)
  const speaker = (held: Held) =>
    isOfMachine(held.document.role) ? 1 + (person - 1) * brevity(held) : person
  const factor = (held: Held) => speaker(held) * (held.document.project === project ? own : 1)
  return Object.assign(factor, { greatest: person * own })
}

/** A note of nobody's in particular was worth writing down: it ranks with what people said. */
function isOfMachine(role: Held["document"]["role"]): boolean {
  return role === "agent" || role === "tool"
}
