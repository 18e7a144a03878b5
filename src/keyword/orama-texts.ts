import { create, insert, remove, search, type Tokenizer } from "@orama/orama"
import { termOf } from "../text/terms/abbreviations.ts"
import { words } from "../text/terms/identifiers.ts"
import { isFunctionWord } from "../text/terms/stop-words.ts"
import {
  SHORT_TEXT_BM25,
  SHORT_TEXT_BOOSTS,
  type ShortText,
  type ShortTextHit,
  type ShortTextIndex,
} from "./short-texts.ts"

/** Short documents in Orama, with our own tokenizer because Orama's handles one language at a time. */
export class OramaTexts implements ShortTextIndex {
  readonly #db = create({ schema: SCHEMA, components: { tokenizer: TOKENIZER } })
  readonly #ids = new Set<string>()

  get size(): number {
    return this.#ids.size
  }

  async put(texts: readonly ShortText[]): Promise<void> {
    await this.remove(texts.map(({ id }) => id))
    for (const { id, text, topic, tags } of texts) {
      await insert(this.#db, { id, text, topic, tags: tags.join(" ") })
      this.#ids.add(id)
    }
  }

  async remove(ids: readonly string[]): Promise<void> {
    for (const id of ids) if (this.#ids.delete(id)) await remove(this.#db, id)
  }

  async search(
    question: string,
    limit: number,
    accepts: (id: string) => boolean = () => true,
  ): Promise<readonly ShortTextHit[]> {
    const term = contentWords(question)
    if (this.#ids.size === 0 || term === "") return []
    for (const { threshold, tolerance } of LADDER) {
      const { hits } = await search(this.#db, {
        term,
        properties: ["text", "topic", "tags"],
        boost: SHORT_TEXT_BOOSTS,
        relevance: { k: SHORT_TEXT_BM25.k1, b: SHORT_TEXT_BM25.b, d: 0 },
        threshold,
        tolerance,
        // If `accepts` rejects more than three quarters, fewer than `limit` hits may be returned.
        limit: limit * 4,
      })
      const found = hits.filter(({ id, score }) => score > 0 && accepts(String(id)))
      if (found.length > 0)
        return bestFirst(found.map(({ id, score }) => ({ id: String(id), score }))).slice(0, limit)
    }
    return []
  }
}

const SCHEMA = { text: "string", topic: "string", tags: "string" } as const

/** Searches in turn until one has hits: all words, any word, any word with an edit distance of one. */
const LADDER = [
  { threshold: 0, tolerance: 0 },
  { threshold: 1, tolerance: 0 },
  { threshold: 1, tolerance: 1 },
] as const

/**
 * Orama's time grows with the square of a text's distinct words: 30 ms for this many, 15 s for a text of one
 * megabyte.
 */
const MAX_TERMS = 2000

const TOKENIZER: Tokenizer = {
  language: "english",
  normalizationCache: new Map(),
  // Each word once, because Orama counts every repetition as another document that contains it.
  tokenize: (text) => [...new Set(words(text).map(termOf))].slice(0, MAX_TERMS),
}

/** The question without function words. Orama also matches beginnings of words, so "a" would match half of all entries. */
function contentWords(question: string): string {
  const all = words(question)
  const content = all.filter((word) => !isFunctionWord(word))
  return (content.length > 0 ? content : all).join(" ")
}

function bestFirst(hits: ShortTextHit[]): ShortTextHit[] {
  return hits.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
}
