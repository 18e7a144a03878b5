import type { Embedder, EmbeddingSpace } from "../../embed/port.ts"
import { createStaticEmbedder } from "../../embed/static.ts"
import type { ShortTextIndex } from "../../keyword/short-texts.ts"
import { type Analysed, analyse } from "./analyse.ts"
import { Corpus } from "./corpus.ts"
import type { RecallDocument } from "./document.ts"
import { type ComputedEntry, decodeEntry, encodeEntry, spaceNumber } from "./entry-blob.ts"
import { shareIn } from "./entry-channels.ts"
import { hitOf, newest, type RecallHit } from "./hits.ts"
import { idfOf, type Question, readQuestion } from "./question.ts"
import { FUSED, type Near, rank } from "./rank.ts"
import { SecondSpace } from "./second-space.ts"
import { firstTermOf } from "./terms.ts"
import { embedTexts, type KeptRows, stretches, Vectors } from "./vectors.ts"
import { CHANNEL_WEIGHTS, type ChannelWeights, type Weights, weightsFor } from "./weights.ts"

export type RecallOptions = {
  readonly limit: number
  /** Only these entries are ranked at all. */
  readonly ids?: ReadonlySet<string>
  readonly accept?: (document: RecallDocument) => boolean
  /** Says that `accept` lets the same documents pass as it did under this name before: then it is not asked again. */
  readonly acceptName?: string
  /** Its entries come before equally good ones of others. */
  readonly project?: string | null
  /** The graph's say; see RankOptions. */
  readonly near?: Near
  readonly channels?: ChannelWeights
  /** For the question's vector in the second space, once every entry has its own there. Null: the first space ranks. */
  readonly ask?: (text: string, space: EmbeddingSpace) => Promise<Float32Array | null>
}

/** Where what is dear to compute of an entry is kept from process to process, as long as the entry stays as it is. */
export type Keeping = {
  readonly kept?: (id: string) => Uint8Array | undefined
  readonly keep?: (id: string, blob: Uint8Array) => void
}

export type RecallAnswer = {
  readonly hits: readonly RecallHit[]
  /** The share of the question's rarity that the first hit covers, 0 to 1: low where nothing is known of it. */
  readonly confidence: number
}

/** All entries in memory, searched by question. */
export class RecallIndex {
  readonly #corpus = new Corpus()
  readonly #embedder: Embedder | null
  readonly #vectors: Vectors | null
  readonly #weights: Weights
  readonly #space: number
  #second: SecondSpace | null = null
  /** Raised with every entry that comes or goes. */
  #version = 0
  #accepted: { readonly name: string; readonly version: number; readonly slots: Uint8Array } | null = null
  #joining: ShortTextIndex | null = null
  #joined: ShortTextIndex | null = null

  constructor(
    embedder: Embedder | null = createStaticEmbedder("aman256"),
    weights: Weights = weightsFor(embedder?.space ?? null),
  ) {
    this.#embedder = embedder
    this.#vectors = embedder === null ? null : new Vectors(embedder.space.dimensions)
    this.#weights = weights
    this.#space = spaceNumber(embedder?.space ?? null)
  }

  get size(): number {
    return this.#corpus.size
  }

  get second(): SecondSpace | null {
    return this.#second
  }

  /** Begins anew with another second space; null: with none. */
  enterSecond(space: EmbeddingSpace | null): void {
    this.#second = space === null ? null : new SecondSpace(space, this.#corpus)
  }

  has(id: string): boolean {
    return this.#corpus.slots.has(id)
  }

  /** Adds entries, or replaces those of the same id. What was computed of them before need not be computed again. */
  async upsert(documents: readonly RecallDocument[], { kept, keep }: Keeping = {}): Promise<void> {
    this.#vectors?.reserve(documents.length)
    const fresh: { document: RecallDocument; analysed: Analysed }[] = []
    for (const document of documents) {
      const blob = kept?.(document.id)
      const known = blob === undefined ? null : decodeEntry(blob, this.#space)
      if (known === null) fresh.push({ document, analysed: analyse(document) })
      else this.#put(document, known)
    }
    const stretched = fresh.map(({ document: { text }, analysed }) =>
      this.#embedder === null ? [] : stretches(text, analysed.passages),
    )
    const all = this.#embedder === null ? NO_ROWS : await embedTexts(this.#embedder, stretched.flat())
    let at = 0
    for (const [i, { document, analysed }] of fresh.entries()) {
      const computed = { analysed, ...rowsOf(all, at, stretched[i]!.length) }
      this.#put(document, computed)
      keep?.(document.id, encodeEntry(computed, this.#space))
      at += stretched[i]!.length
    }
    await this.#joining?.put(documents)
  }

  #put(document: RecallDocument, computed: ComputedEntry): void {
    this.#drop(document.id)
    this.#corpus.add(document, computed.analysed)
    this.#vectors?.add(this.#corpus.slots.get(document.id)!, computed)
  }

  async remove(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#drop(id)
    await this.#joining?.remove(ids)
  }

  #drop(id: string): void {
    this.#version++
    const slot = this.#corpus.slots.get(id)
    if (slot === undefined) return
    this.#vectors?.remove(slot)
    this.#second?.drop(slot)
    this.#corpus.remove(id)
  }

  /** How telling a word is: the fewer entries have it, the more. */
  rarity(word: string): number {
    const { dictionary, postings, size } = this.#corpus
    const number = dictionary.find(firstTermOf(word))
    return idfOf(number < 0 ? 0 : postings.holders(number), size)
  }

  /** Best first. A question without a word lists the newest. */
  async search(text: string, options: RecallOptions): Promise<RecallAnswer> {
    // First: what follows is of one moment, and this may take a while.
    const second = await this.#bySecond(text, options.ask)
    const corpus = this.#corpus
    const question = readQuestion(text, corpus)
    const accepted = this.#acceptedBy(options)
    const accepts = (slot: number) => accepted[slot] === 1
    if (question.terms.length === 0) return { hits: newest(corpus, accepts, options.limit), confidence: 0 }
    const cosines = second?.cosines(accepts) ?? (await this.#cosines(question, accepts))
    const ranked = rank(corpus, question, {
      limit: options.limit,
      accepts,
      weights: second?.weights ?? this.#weights,
      project: options.project ?? null,
      cosines,
      near: options.near ?? null,
      channels: options.channels ?? CHANNEL_WEIGHTS,
      keyword: await this.#byOther(text, accepts),
    })
    const first = ranked[0] === undefined ? undefined : corpus.held(ranked[0].slot)
    return {
      hits: ranked.map((each) => hitOf(corpus, each)),
      confidence: first === undefined ? 0 : shareIn(question, first.terms),
    }
  }

  /**
   * Lets another index answer the keyword channel as soon as it has taken in all entries; that goes in slices, with a
   * pause after each.
   */
  async join(other: ShortTextIndex, pause: () => Promise<void>): Promise<void> {
    this.#joining = other
    let characters = 0
    for (const id of [...this.#corpus.slots.keys()]) {
      const slot = this.#corpus.slots.get(id)
      if (slot === undefined) continue
      const { document } = this.#corpus.held(slot)!
      await other.put([document])
      characters += document.text.length
      if (characters < SLICE) continue
      characters = 0
      await pause()
    }
    this.#joined = other
  }

  #acceptedBy(options: RecallOptions): Uint8Array {
    const { acceptName: name } = options
    const kept = this.#accepted
    if (name !== undefined && kept?.name === name && kept.version === this.#version) return kept.slots
    const slots = accepted(this.#corpus, options)
    this.#accepted = name === undefined ? null : { name, version: this.#version, slots }
    return slots
  }

  async #byOther(text: string, accepts: (slot: number) => boolean): Promise<readonly number[] | null> {
    if (this.#joined === null) return null
    const { slots } = this.#corpus
    const hits = await this.#joined.search(text, FUSED, (id) => {
      const slot = slots.get(id)
      return slot !== undefined && accepts(slot)
    })
    return hits.flatMap(({ id }) => slots.get(id) ?? [])
  }

  async #cosines({ text }: Question, accepts: (slot: number) => boolean) {
    if (this.#embedder === null || this.#vectors === null) return null
    return this.#cosinesTo(await this.#embedder.embedQuery(text), this.#vectors, accepts)
  }

  async #bySecond(text: string, ask: RecallOptions["ask"]) {
    const second = this.#second
    if (ask === undefined || !second?.isWhole) return null
    const query = await ask(text, second.space)
    // Meanwhile entries may have come, or another space.
    if (query === null || second !== this.#second || !second.isWhole) return null
    const { weights, vectors } = second
    const cosines = (accepts: (slot: number) => boolean) => this.#cosinesTo(query, vectors, accepts)
    return { weights, cosines }
  }

  #cosinesTo(query: Float32Array, vectors: Vectors, accepts: (slot: number) => boolean) {
    const nameOf = (slot: number) => this.#corpus.held(slot)!.document.id
    const first = vectors.nearest(query, { limit: FUSED, accepts, nameOf })
    return { first, second: (slots: readonly number[]) => vectors.centred(query, slots) }
  }
}

const NO_ROWS: KeptRows = { rows: new Int8Array(0), squares: [] }

function rowsOf({ rows, squares }: KeptRows, from: number, count: number): KeptRows {
  const dimensions = squares.length === 0 ? 0 : rows.length / squares.length
  return {
    rows: rows.subarray(from * dimensions, (from + count) * dimensions),
    squares: Array.from({ length: count }, (_, i) => squares[from + i]!),
  }
}

/** Characters that are taken in before others get their turn: some five milliseconds. */
const SLICE = 10_000

/** 1 for each slot that may be ranked. */
function accepted(corpus: Corpus, { ids, accept }: RecallOptions): Uint8Array {
  const slots = new Uint8Array(corpus.capacity)
  for (let slot = 0; slot < corpus.capacity; slot++) {
    const document = corpus.held(slot)?.document
    if (document === undefined || (ids !== undefined && !ids.has(document.id))) continue
    if (accept === undefined || accept(document)) slots[slot] = 1
  }
  return slots
}
