import {
  SHORT_TEXT_BM25,
  SHORT_TEXT_BOOSTS,
  type ShortText,
  type ShortTextHit,
  type ShortTextIndex,
} from "../../../keyword/short-texts.ts"
import { type QueryTerm, type Question, readQuestion } from "../question.ts"
import type { Scores } from "../scores.ts"
import { bm25, ranking } from "../scores.ts"
import { analyse } from "./analyse.ts"
import { Corpus } from "./corpus.ts"
import { passageOf, timesOf } from "./postings.ts"
import { prepare } from "./prepared.ts"

/** The keyword channel, computed from the postings that recall keeps in memory. */
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
      const document = { ...EMPTY_FIELDS, ...text }
      this.#corpus.add(document, prepare(analyse(document), this.#corpus.dictionary))
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
    const corpus = this.#corpus
    const scores = keywordScores(corpus, readQuestion(question, corpus), (slot) => accepts(this.#idOf(slot)))
    const best = ranking(scores, limit, (slot) => this.#idOf(slot))
    const hits = best.map((slot) => ({ id: this.#idOf(slot), score: scores.of(slot) }))
    corpus.scores.release()
    return hits
  }

  #idOf(slot: number): string {
    return this.#corpus.at(slot)!.document.id
  }
}

/** BM25 scores of the entries that contain every term; if there are none, of those that contain any. */
export function keywordScores(
  corpus: Corpus,
  { terms }: Question,
  accepts: (slot: number) => boolean,
): Scores {
  const scores = corpus.scores.take(corpus.capacity)
  const matched = corpus.scores.take(corpus.capacity)
  const times = corpus.scores.take(corpus.capacity)
  const boosts = corpus.scores.take(corpus.capacity)
  const average = corpus.words / Math.max(1, corpus.size)
  for (const term of terms) {
    countTimes(corpus, term, times)
    addBoosts(corpus, term, boosts)
    const score = (slot: number) => {
      if (!accepts(slot)) return
      const text =
        SHORT_TEXT_BOOSTS.text * bm25(times.of(slot), corpus.wordsOf(slot) / average, SHORT_TEXT_BM25)
      scores.add(slot, term.idf * (text + boosts.of(slot)))
      matched.add(slot, 1)
    }
    for (let i = 0; i < times.count; i++) score(times.slots[i]!)
    for (let i = 0; i < boosts.count; i++) if (times.of(boosts.slots[i]!) === 0) score(boosts.slots[i]!)
    times.clear()
    boosts.clear()
  }
  const whole = corpus.scores.take(corpus.capacity)
  for (let i = 0; i < scores.count; i++) {
    const slot = scores.slots[i]!
    if (matched.of(slot) === terms.length) whole.add(slot, scores.of(slot))
  }
  return whole.count > 0 ? whole : scores
}

/** Adds the weighted number of times that each entry's text contains the term. */
function countTimes({ postings, passageSlot }: Corpus, { variants }: QueryTerm, times: Scores): void {
  for (const { number, weight } of variants) {
    const list = postings.of(number)
    for (let i = 0; i < list.length; i++)
      times.add(passageSlot[passageOf(list[i]!)]!, weight * timesOf(list[i]!))
  }
}

/** Adds the boosts of entries whose topic or tags contain the term. */
function addBoosts({ topics, tags }: Corpus, { variants }: QueryTerm, boosts: Scores): void {
  for (const { number, weight } of variants) {
    for (const slot of topics.of(number)) boosts.add(slot, SHORT_TEXT_BOOSTS.topic * weight)
    for (const slot of tags.of(number)) boosts.add(slot, SHORT_TEXT_BOOSTS.tags * weight)
  }
}

const EMPTY_FIELDS = {
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
