import { AmanError, type Config } from "../../../base/index.ts"
import {
  choiceFor,
  type EmbedderChoice,
  type EmbeddingSpace,
  embedderChoice,
  isSameSpace,
  modelName,
  openQueryEmbedder,
  type QueryVector,
  sentenceEncoder,
} from "../../../index/index.ts"
import type { Knowledge } from "../../knowledge.ts"
import type { RecallIndex, RecallOptions } from "../../recall/index/recall-index.ts"
import { type ConfiguredSpaceVectors, embedAll, type UnembeddedEntry } from "../../recall/index/vectors.ts"

type EmbedQuery = (text: string) => Promise<QueryVector>

/**
 * Vectors of the sentence encoder, or of the configured embedder, for recall. Without them recall ranks with the table of
 * word vectors.
 */
export class ConfiguredVectors {
  readonly #knowledge: Knowledge
  readonly #config: () => Config
  readonly #asked = new Map<string, Promise<EmbedQuery>>()
  readonly #reported = new Set<string>()
  #pending: string[] = []

  constructor(knowledge: Knowledge, config: () => Config) {
    this.#knowledge = knowledge
    this.#config = config
  }

  /** Loads the stored vectors into the index and returns all; null without a space. */
  loadInto(index: RecallIndex): ConfiguredSpaceVectors | null {
    const space = this.#spaceFor(index.size)
    if (!isSameSpace(index.configured?.space ?? null, space)) index.enterConfiguredSpace(space)
    const { configured } = index
    const { vectors } = this.#knowledge
    if (configured !== null && !configured.isWhole && isSameSpace(vectors.space(), space))
      for (const [id, blob] of vectors.of(configured.missing())) configured.add(id, blob)
    return configured
  }

  #spaceFor(entries: number): EmbeddingSpace | null {
    const config = this.#config()
    if (config.knowledge.embedder === "static")
      return usesEncoder(config, entries) ? sentenceEncoder.space : null
    const space = this.#knowledge.vectors.space()
    return space !== null && this.#choiceFor(space) !== null ? space : null
  }

  /**
   * The `ask` function for RecallIndex.search; undefined when no embedder can be asked. Adds a notice with
   * the reason when one is configured.
   */
  async queryEmbedder(index: RecallIndex): Promise<RecallOptions["ask"]> {
    if (index.size === 0) return undefined
    if (this.#config().knowledge.embedder === "static") return this.#encoder(index)
    if (!this.#isWanted()) return undefined
    const configured = this.loadInto(index)
    if (configured?.isWhole) return (text, space) => this.#ask(text, space)
    this.#reportMissing(configured?.space ?? null)
    return undefined
  }

  /** Encodes some of the entries that lack vectors; a server, or `aman memory embed`, encodes the rest. */
  async #encoder(index: RecallIndex): Promise<RecallOptions["ask"]> {
    const configured = this.loadInto(index)
    if (configured === null) return undefined
    const few = someOf(configured.without(MAX_SENTENCES), MAX_SENTENCES)
    const missing = configured.size + few.length === index.size ? few : someOf(few, PART)
    const { vectors, readonly } = this.#knowledge
    // Where vectors cannot be stored, only all of them are of use.
    if (missing.length > 0 && (!readonly || configured.size + missing.length === index.size)) {
      const computed = await embedAll(sentenceEncoder, missing)
      for (const { id, text, blob } of computed) configured.add(id, blob, text)
      if (!readonly) vectors.keepIfFree(configured.space, computed)
    }
    if (configured.isWhole) return sentenceEncoder.embedQuery
    this.#reportMissing(configured.space)
    return undefined
  }

  #reportMissing(space: EmbeddingSpace | null): void {
    const whose = space === null ? "the configured embedder" : embedderName(space)
    const next = "a server computes them, or run: aman memory embed"
    this.addNotice(`not every memory has a vector of ${whose} yet (${next})`)
  }

  /** Adds a notice for a failure; each failure is reported once until the embedder answers again. */
  addNotice(failure: string): void {
    if (this.#reported.has(failure)) return
    this.#reported.add(failure)
    this.#pending.push(`${failure}; the table of word vectors is used instead`)
  }

  /** Returns the pending notices and clears them. */
  notices(): string[] {
    return this.#pending.splice(0)
  }

  async #ask(text: string, space: EmbeddingSpace): Promise<Float32Array | null> {
    const choice = this.#choiceFor(space)
    if (choice === null) return null
    const key = JSON.stringify(space)
    const pendingEmbedder = this.#asked.get(key) ?? openQueryEmbedder(choice, space, true)
    this.#asked.set(key, pendingEmbedder)
    const answer = await (await pendingEmbedder)(text)
    if ("vector" in answer) {
      this.#reported.clear()
      return answer.vector
    }
    this.addNotice(answer.failure)
    return null
  }

  #choiceFor(space: EmbeddingSpace): EmbedderChoice | null {
    return choiceFor(this.#config(), space)
  }

  /** True when an embedder is configured; invalid settings add a notice. */
  #isWanted(): boolean {
    try {
      return embedderChoice(this.#config().embeddings) !== null
    } catch (error) {
      if (!(error instanceof AmanError)) throw error
      this.addNotice(errorWithHint(error))
      return false
    }
  }
}

/** Max entries of a store whose sentences are encoded; reading so many vectors takes a process some 70 ms. */
export const MAX_ENCODED = 10_000
/** Max sentences of entries that a question encodes if that completes the store, in some 350 ms, and otherwise. */
const [MAX_SENTENCES, PART] = [64, 16]

/** The first entries, at least one, with at most `max` sentences. */
function someOf(missing: readonly UnembeddedEntry[], max: number): UnembeddedEntry[] {
  let sentences = 0
  return missing.filter(({ stretches }, at) => {
    sentences += stretches.length
    return at === 0 || sentences <= max
  })
}

/** True if recall of so many entries uses the sentence encoder, unless another embedder is configured. */
export function usesEncoder({ embeddings }: Config, entries: number): boolean {
  return embeddings.encoder !== "off" && entries <= MAX_ENCODED
}

export function errorWithHint({ message, hint }: AmanError): string {
  return hint === undefined ? message : `${message} (${hint})`
}

/** Name of the embedder for messages, such as "ollama nomic-embed-text:latest". */
export function embedderName(space: EmbeddingSpace): string {
  return isSameSpace(space, sentenceEncoder.space)
    ? "the sentence encoder"
    : `${space.provider} ${modelName(space)}`
}
