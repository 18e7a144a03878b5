/*
 * The index that answers questions. `search`: 1. embeds the question; 2. reads its terms; 3. selects the entries that
 * the request accepts; 4. ranks them (rank.ts). `upsert`, `remove`, `open` and `freeze` keep the content current and
 * store it.
 */

import { createStaticEmbedder, type Embedder, type EmbeddingSpace } from "../../../index/index.ts"
import { bestChance, chancesOf } from "../chance.ts"
import { type Days, type RecallQuestion, readQuestion } from "../question.ts"
import { CHANNEL_DEPTH, hitOf, type NearestEntries, newestHits, type RecallHit, rank } from "../rank.ts"
import { cosineFor, type Weights, weightsFor } from "../scores.ts"
import { passagesOf, prepareEntry, type RecallDocument } from "./analyse.ts"
import { Corpus } from "./corpus.ts"
import type { ImageParts } from "./frozen.ts"
import { freezeIndex, type OpenedImage, openImage } from "./image.ts"
import { ConfiguredSpaceVectors, embedTexts, type QuantizedRows, stretches, Vectors } from "./vectors.ts"

export type RecallOptions = {
  readonly limit: number
  readonly accept?: (document: RecallDocument) => boolean
  /** The days that the question means by words such as "last week". */
  readonly days?: readonly Days[]
  /** Entries of this project get a bonus over those of others. */
  readonly project?: string | null
  /** The graph channel; see RankOptions. */
  readonly near?: NearestEntries
  /**
   * Embeds the question in the configured space. Called only if every entry has vectors in that space. If it returns
   * null, the built-in space is used.
   */
  readonly ask?: (text: string, space: EmbeddingSpace) => Promise<Float32Array | null>
}

export type RecallAnswer = {
  readonly hits: readonly RecallHit[]
  /** Chance, 0 to 1, that one of the first hits is the answer; low when no entry is about the question. */
  readonly confidence: number
  /** The space of the hits' cosines; null without vectors. */
  readonly space: EmbeddingSpace | null
  /** True for a question without a word, whose hits are the newest entries. */
  readonly isNewest?: true
}

/** The in-memory index of all entries that answers questions. */
export class RecallIndex {
  #corpus = new Corpus()
  readonly #embedder: Embedder | null
  #vectors: Vectors | null
  readonly #weights: Weights
  #configured: ConfiguredSpaceVectors | null = null

  constructor(
    embedder: Embedder | null = createStaticEmbedder("aman256"),
    weights: Weights = weightsFor(embedder?.space ?? null),
  ) {
    this.#embedder = embedder
    this.#vectors = embedder === null ? null : new Vectors(embedder.space.dimensions)
    this.#weights = weights
  }

  get size(): number {
    return this.#corpus.size
  }

  get configured(): ConfiguredSpaceVectors | null {
    return this.#configured
  }

  /** Replaces the configured space by an empty one for `space`; null removes it. */
  enterConfiguredSpace(space: EmbeddingSpace | null): void {
    this.#configured = space === null ? null : new ConfiguredSpaceVectors(space, this.#corpus)
  }

  has(id: string): boolean {
    return this.#corpus.slotOf(id) >= 0
  }

  /**
   * Replaces the content by a stored image; `textOf` returns an entry's text from the store. Returns the number of the
   * last event that the image takes into account; null, and nothing changes, when it cannot be used.
   */
  open(parts: ImageParts, textOf: (id: string) => string): number | null {
    const image = openImage(parts, this.#embedder?.space ?? null, textOf)
    if (image !== null) this.#replace(image)
    return image?.seq ?? null
  }

  clear(): void {
    this.#replace(null)
  }

  #replace(image: OpenedImage | null): void {
    this.#corpus = new Corpus(image)
    this.#vectors = this.#embedder && new Vectors(this.#embedder.space.dimensions, image?.vectors)
    this.#configured = null
  }

  /** The content as an image to store. `seq`: number of the last event that it takes into account. */
  freeze(seq: number): ImageParts {
    return freezeIndex(this.#corpus, this.#vectors, this.#embedder?.space ?? null, seq)
  }

  /**
   * Adds entries, replacing those with the same id. `heldAs` returns what the index keeps of an entry in memory instead
   * of the entry itself.
   */
  async upsert<D extends RecallDocument>(
    documents: readonly D[],
    heldAs: (document: D) => RecallDocument = (document) => document,
  ): Promise<void> {
    const stretched = documents.map(({ text }) =>
      this.#embedder === null ? [] : stretches(text, passagesOf(text)),
    )
    const all = this.#embedder === null ? NO_ROWS : await embedTexts(this.#embedder, stretched.flat())
    let at = 0
    for (const [i, document] of documents.entries()) {
      this.#drop(document.id)
      this.#corpus.add(heldAs(document), prepareEntry(document, this.#corpus.dictionary))
      const slot = this.#corpus.slotOf(document.id)
      this.#vectors?.add(slot, rowRange(all, at, stretched[i]!.length))
      at += stretched[i]!.length
    }
  }

  remove(ids: readonly string[]): void {
    for (const id of ids) this.#drop(id)
  }

  #drop(id: string): void {
    const slot = this.#corpus.slotOf(id)
    if (slot < 0) return
    this.#vectors?.remove(slot)
    this.#configured?.drop(slot)
    this.#corpus.remove(id)
  }

  /** Hits, best first. For a question without a word, the newest entries. */
  async search(text: string, options: RecallOptions): Promise<RecallAnswer> {
    // The question's vector is awaited first, because that can take long, and all later steps must see one state of
    // the index.
    const configured = await this.#byConfigured(text, options.ask)
    const corpus = this.#corpus
    const question = readQuestion(text, corpus, options.days)
    const accepts = this.#acceptedBy(options)
    const space = configured?.space ?? this.#embedder?.space ?? null
    if (question.terms.length === 0)
      return { hits: newestHits(corpus, accepts, options.limit), confidence: 0, space, isNewest: true }
    const cosines = configured?.cosines(accepts) ?? (await this.#cosines(question, accepts))
    const ranked = rank(corpus, question, {
      limit: options.limit,
      accepts,
      weights: configured?.weights ?? this.#weights,
      spokenCosine: cosineFor(space).spoken,
      project: options.project ?? null,
      cosines,
      near: options.near ?? null,
    })
    const chances = chancesOf(corpus, question, ranked, configured !== null)
    const hits = ranked.map((each, rank) => hitOf(corpus, each, chances[rank]!))
    return { hits, confidence: bestChance(hits), space }
  }

  /** A test of slots. An entry is checked when it is first asked for. */
  #acceptedBy({ accept = () => true }: RecallOptions): (slot: number) => boolean {
    const corpus = this.#corpus
    const slots = new Uint8Array(corpus.capacity)
    return (slot) => {
      if (slots[slot] === UNCHECKED) {
        const document = corpus.at(slot)?.document
        slots[slot] = document !== undefined && accept(document) ? ACCEPTED : REFUSED
      }
      return slots[slot] === ACCEPTED
    }
  }

  async #cosines({ text }: RecallQuestion, accepts: (slot: number) => boolean) {
    if (this.#embedder === null || this.#vectors === null) return null
    return this.#cosinesTo(await this.#embedder.embedQuery(text), this.#vectors, accepts)
  }

  async #byConfigured(text: string, ask: RecallOptions["ask"]) {
    const configured = this.#configured
    if (ask === undefined || !configured?.isWhole) return null
    const query = await ask(text, configured.space)
    // While the vector was computed, entries may have been added or the space may have been replaced.
    if (query === null || configured !== this.#configured || !configured.isWhole) return null
    const { weights, vectors } = configured
    const cosines = (accepts: (slot: number) => boolean) => this.#cosinesTo(query, vectors, accepts)
    return { weights, space: configured.space, cosines }
  }

  #cosinesTo(query: Float32Array, vectors: Vectors, accepts: (slot: number) => boolean) {
    const nameOf = (slot: number) => this.#corpus.idAt(slot)
    const first = vectors.nearest(query, { limit: CHANNEL_DEPTH, accepts, nameOf })
    return { first, second: (slots: readonly number[]) => vectors.centred(query, slots) }
  }
}

const UNCHECKED = 0
const ACCEPTED = 1
const REFUSED = 2

const NO_ROWS: QuantizedRows = { rows: new Int8Array(0), squares: [] }

function rowRange({ rows, squares }: QuantizedRows, from: number, count: number): QuantizedRows {
  const dimensions = squares.length === 0 ? 0 : rows.length / squares.length
  return {
    rows: rows.subarray(from * dimensions, (from + count) * dimensions),
    squares: Array.from({ length: count }, (_, i) => squares[from + i]!),
  }
}
