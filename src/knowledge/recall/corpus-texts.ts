import {
  SHORT_TEXT_BM25,
  SHORT_TEXT_BOOSTS,
  type ShortText,
  type ShortTextHit,
  type ShortTextIndex,
} from "../../keyword/short-texts.ts"
import { analyse } from "./analyse.ts"
import { bm25 } from "./bm25.ts"
import { Corpus } from "./corpus.ts"
import { ranking } from "./fusion.ts"
import { passageOf, timesOf } from "./postings.ts"
import { type QueryTerm, type Question, readQuestion } from "./question.ts"

/** The keyword channel on the postings that recall has anyway. */
export class CorpusTexts implements ShortTextIndex {
  readonly #corpus: Corpus

  constructor(corpus: Corpus = new Corpus()) {
    this.#corpus = corpus
  }

  get size(): number {
    return this.#corpus.size
  }

  async put(texts: readonly ShortText[]): Promise<void> {
    for (const text of texts) {
      const document = { ...NOTHING_MORE, ...text }
      this.#corpus.add(document, analyse(document))
    }
  }

  async remove(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#corpus.remove(id)
  }

  async search(
    question: string,
    limit: number,
    accepts: (id: string) => boolean = () => true,
  ): Promise<readonly ShortTextHit[]> {
    const scores = keywordScores(this.#corpus, readQuestion(question, this.#corpus), (slot) =>
      accepts(this.#idOf(slot)),
    )
    return ranking(scores, limit, (slot) => this.#idOf(slot)).map((slot) => ({
      id: this.#idOf(slot),
      score: scores[slot]!,
    }))
  }

  #idOf(slot: number): string {
    return this.#corpus.held(slot)!.document.id
  }
}

/** By slot: of the entries that hold every word, or where there are none, of those that hold any. */
export function keywordScores(
  corpus: Corpus,
  { terms }: Question,
  accepts: (slot: number) => boolean,
): Float64Array {
  const scores = new Float64Array(corpus.capacity)
  const held = new Uint8Array(corpus.capacity)
  const times = new Float64Array(corpus.capacity)
  const average = corpus.words / Math.max(1, corpus.size)
  for (const term of terms) {
    const said = countTimes(corpus, term, times)
    const above = boosts(corpus, term)
    for (const slot of new Set([...said, ...above.keys()])) {
      if (accepts(slot)) {
        const score =
          SHORT_TEXT_BOOSTS.text * bm25(times[slot]!, corpus.wordsOf(slot) / average, SHORT_TEXT_BM25)
        scores[slot]! += term.idf * (score + (above.get(slot) ?? 0))
        held[slot]!++
      }
      times[slot] = 0
    }
  }
  if (held.includes(terms.length)) {
    for (let slot = 0; slot < held.length; slot++) if (held[slot] !== terms.length) scores[slot] = 0
  }
  return scores
}

/** Adds how often each entry's text says it; returns the slots. */
function countTimes(corpus: Corpus, { variants }: QueryTerm, times: Float64Array): number[] {
  const touched: number[] = []
  for (const { number, weight } of variants) {
    for (const posting of corpus.postings.of(number)) {
      if (timesOf(posting) === 0) continue
      const slot = corpus.passageSlot[passageOf(posting)]!
      if (times[slot] === 0) touched.push(slot)
      times[slot]! += weight * timesOf(posting)
    }
  }
  return touched
}

/** What a word above the text, in its topic or tags, adds. */
function boosts(corpus: Corpus, { variants }: QueryTerm): Map<number, number> {
  const found = new Map<number, number>()
  const add = (slot: number, value: number) => found.set(slot, (found.get(slot) ?? 0) + value)
  for (const { number, weight } of variants) {
    for (const slot of corpus.topics.of(number)) add(slot, SHORT_TEXT_BOOSTS.topic * weight)
    for (const slot of corpus.tags.of(number)) add(slot, SHORT_TEXT_BOOSTS.tags * weight)
  }
  return found
}

const NOTHING_MORE = {
  project: null,
  kind: "semantic",
  author: null,
  role: null,
  session: null,
  ordinal: null,
  entities: [],
  metadata: {},
  validFrom: null,
  validUntil: null,
  recordedAt: "",
  supersededAt: null,
} as const
