import type { Corpus, Held } from "./corpus.ts"
import { entryTerms } from "./entry-channels.ts"
import { type Accepts, type KeywordChannels, keywordChannels } from "./keyword-channels.ts"
import { proximityOf } from "./proximity.ts"
import type { Question } from "./question.ts"
import { OWN_PROJECT_FACTOR, PERSON_FACTOR, type TermName, WEIGHTS } from "./weights.ts"

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
  /** Entries of this project come a little before others. */
  readonly project: string | null
  /** How near entries are over the graph to the hits so far and to what the question names, by id; any scale. */
  readonly near?: (hits: readonly (readonly [id: string, score: number])[]) => ReadonlyMap<string, number>
}

/** The entries that answer best, best first. */
export function rank(corpus: Corpus, question: Question, options: RankOptions): Ranked[] {
  const { limit, accepts, project } = options
  const keyword = keywordChannels(corpus, question, accepts)
  const values = valuesOf(corpus, question, keyword, accepts)
  const factor = factorOf(corpus, project)
  addNear(corpus, question, options, values, factor)
  const best = new Best(limit)
  for (const [slot, terms] of values) {
    best.add(slot, sumOf(terms) * factor(corpus.held(slot)!), corpus.held(slot)!.document.id)
  }
  const reachable = REACHABLE * factor.greatest
  return best.slots().map((slot) => {
    const scale = factor(corpus.held(slot)!) / reachable
    const terms = NAMES.map((name, i) => ({ name, value: WEIGHTS[name] * values.get(slot)![i]! * scale }))
    const felt = terms.filter(({ value }) => value !== 0)
    return {
      slot,
      score: felt.reduce((sum, { value }) => sum + value, 0),
      terms: felt,
      passage: keyword.best[slot]!,
    }
  })
}

const NAMES = Object.keys(WEIGHTS) as TermName[]
const NEAR = NAMES.indexOf("near")
const REACHABLE = NAMES.reduce((sum, name) => sum + Math.max(0, WEIGHTS[name]), 0)

/** Each term of each entry that the question touches at all. */
function valuesOf(
  corpus: Corpus,
  question: Question,
  keyword: KeywordChannels,
  accepts: Accepts,
): Map<number, Float64Array> {
  const { passage, window, answer, session } = keyword
  const proximity = proximityOf(question)
  const values = new Map<number, Float64Array>()
  const greatest = new Float64Array(NAMES.length)
  for (let slot = 0; slot < corpus.capacity; slot++) {
    const held = corpus.held(slot)
    if (held === undefined || !accepts(slot)) continue
    const entry = entryTerms(question, held)
    if (passage[slot] === 0 && window[slot] === 0 && entry.topic === 0 && entry.tags === 0) continue
    const of = {
      ...entry,
      passage: passage[slot]!,
      window: window[slot]!,
      answer: answer[slot]!,
      session: session[slot]!,
      proximity: passage[slot]! > 0 ? proximity(held.tokens) : 0,
      near: 0,
    }
    const row = Float64Array.from(NAMES, (name) => of[name])
    values.set(slot, row)
    for (let i = 0; i < row.length; i++) greatest[i] = Math.max(greatest[i]!, row[i]!)
  }
  scaleByBest(values, greatest)
  return values
}

/** The hits that lead into the graph. */
const SEEDS = 20
/** Beyond these the graph says nothing: over hubs everything is near to everything. */
const NEAREST = 100

/** The graph's term: of entries that no word of the question touches, too. */
function addNear(
  corpus: Corpus,
  question: Question,
  { accepts, near }: RankOptions,
  values: Map<number, Float64Array>,
  factor: Factor,
): void {
  if (near === undefined) return
  const best = new Best(SEEDS)
  for (const [slot, terms] of values) {
    const held = corpus.held(slot)!
    best.add(slot, sumOf(terms) * factor(held), held.document.id)
  }
  const nearest = new Best(NEAREST)
  for (const [id, score] of near(best.hits())) {
    const slot = corpus.slots.get(id)
    if (slot !== undefined && accepts(slot)) nearest.add(slot, score, id)
  }
  const scores = nearest.hits()
  for (const [i, slot] of nearest.slots().entries()) {
    const row = values.get(slot) ?? untouched(question, corpus.held(slot)!)
    row[NEAR] = scores[i]![1] / scores[0]![1]
    values.set(slot, row)
  }
}

function untouched(question: Question, held: Held): Float64Array {
  const of: Partial<Record<TermName, number>> = entryTerms(question, held)
  return Float64Array.from(NAMES, (name) => of[name] ?? 0)
}

function scaleByBest(values: ReadonlyMap<number, Float64Array>, greatest: Float64Array): void {
  for (const [i, name] of NAMES.entries()) {
    if (ABSOLUTE.has(name) || greatest[i] === 0) continue
    for (const row of values.values()) row[i]! /= greatest[i]!
  }
}

/** Not divided by the question's best: they mean the same in every question. */
const ABSOLUTE: ReadonlySet<TermName> = new Set(["author", "date", "number", "length", "asking"])

function sumOf(values: Float64Array): number {
  let sum = 0
  for (let i = 0; i < NAMES.length; i++) sum += WEIGHTS[NAMES[i]!] * values[i]!
  return sum
}

type Factor = ((held: Held) => number) & { readonly greatest: number }

function factorOf(corpus: Corpus, project: string | null): Factor {
  const person = corpus.persons > 0 && corpus.agents > 0 ? PERSON_FACTOR : 1
  const own = project === null ? 1 : OWN_PROJECT_FACTOR
  const factor = ({ document }: Held) =>
    (isOfMachine(document.role) ? 1 : person) * (document.project === project ? own : 1)
  return Object.assign(factor, { greatest: person * own })
}

/** A note of nobody's in particular was worth writing down: it ranks with what people said. */
function isOfMachine(role: Held["document"]["role"]): boolean {
  return role === "agent" || role === "tool"
}

/** The best so many, equals by their id. */
class Best {
  readonly #limit: number
  readonly #kept: { slot: number; score: number; id: string }[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  add(slot: number, score: number, id: string): void {
    const kept = this.#kept
    let at = kept.length
    while (at > 0 && comesBefore(score, id, kept[at - 1]!)) at--
    if (at >= this.#limit) return
    kept.splice(at, 0, { slot, score, id })
    if (kept.length > this.#limit) kept.pop()
  }

  hits(): (readonly [id: string, score: number])[] {
    return this.#kept.map(({ id, score }) => [id, score])
  }

  slots(): number[] {
    return this.#kept.map(({ slot }) => slot)
  }
}

function comesBefore(score: number, id: string, other: { score: number; id: string }): boolean {
  return score > other.score || (score === other.score && id < other.id)
}
