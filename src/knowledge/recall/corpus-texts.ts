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
import { prepare } from "./prepared.ts"
import { type QueryTerm, type Question, readQuestion } from "./question.ts"
import type { Scores } from "./scores.ts"

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
    return this.#corpus.held(slot)!.document.id
  }
}

/** Of the entries that hold every word, or where there are none, of those that hold any. */
export function keywordScores(
  corpus: Corpus,
  { terms }: Question,
  accepts: (slot: number) => boolean,
): Scores {
  const scores = corpus.scores.take(corpus.capacity)
  const held = corpus.scores.take(corpus.capacity)
  const said = corpus.scores.take(corpus.capacity)
  const above = corpus.scores.take(corpus.capacity)
  const average = corpus.words / Math.max(1, corpus.size)
  for (const term of terms) {
    countTimes(corpus, term, said)
    addBoosts(corpus, term, above)
    const score = (slot: number) => {
      if (!accepts(slot)) return
      const text =
        SHORT_TEXT_BOOSTS.text * bm25(said.of(slot), corpus.wordsOf(slot) / average, SHORT_TEXT_BM25)
      scores.add(slot, term.idf * (text + above.of(slot)))
      held.add(slot, 1)
    }
    for (let i = 0; i < said.count; i++) score(said.slots[i]!)
    for (let i = 0; i < above.count; i++) if (said.of(above.slots[i]!) === 0) score(above.slots[i]!)
    said.clear()
    above.clear()
  }
  const whole = corpus.scores.take(corpus.capacity)
  for (let i = 0; i < scores.count; i++) {
    const slot = scores.slots[i]!
    if (held.of(slot) === terms.length) whole.add(slot, scores.of(slot))
  }
  return whole.count > 0 ? whole : scores
}

/** Adds how often each entry's text says it. */
function countTimes({ postings, passageSlot }: Corpus, { variants }: QueryTerm, said: Scores): void {
  for (const { number, weight } of variants) {
    const list = postings.of(number)
    for (let i = 0; i < list.length; i++)
      said.add(passageSlot[passageOf(list[i]!)]!, weight * timesOf(list[i]!))
  }
}

/** Adds what a word above the text, in its topic or tags, counts. */
function addBoosts({ topics, tags }: Corpus, { variants }: QueryTerm, above: Scores): void {
  for (const { number, weight } of variants) {
    for (const slot of topics.of(number)) above.add(slot, SHORT_TEXT_BOOSTS.topic * weight)
    for (const slot of tags.of(number)) above.add(slot, SHORT_TEXT_BOOSTS.tags * weight)
  }
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
