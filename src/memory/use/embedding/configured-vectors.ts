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
} from "../../../index/index.ts"
import type { Knowledge } from "../../knowledge.ts"
import type { RecallIndex } from "../../recall/index/recall-index.ts"

type EmbedQuery = (text: string) => Promise<QueryVector>

/** Vectors of the configured embedder for recall. If it is disabled or fails, recall ranks with the built-in vectors. */
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

  /** Loads the stored vectors of the configured space into the index; call before each question. */
  loadInto(index: RecallIndex): void {
    const space = this.#config().knowledge.embedder === "static" ? null : this.#knowledge.vectors.space()
    const configuredSpace = space !== null && this.#choiceFor(space) !== null ? space : null
    if (!isSameSpace(index.configured?.space ?? null, configuredSpace))
      index.enterConfiguredSpace(configuredSpace)
    const { configured } = index
    if (configured === null || configured.isWhole) return
    const missing = configured.without(Number.POSITIVE_INFINITY).map(({ id }) => id)
    for (const [id, blob] of this.#knowledge.vectors.of(missing)) configured.add(id, blob)
  }

  /**
   * The `ask` function for RecallIndex.search; undefined when no embedder can be asked. Adds a notice with
   * the reason when one is configured.
   */
  queryEmbedder(
    index: Pick<RecallIndex, "size" | "configured">,
  ): ((text: string, space: EmbeddingSpace) => Promise<Float32Array | null>) | undefined {
    if (index.size === 0 || !this.#isWanted()) return undefined
    const { configured } = index
    if (configured?.isWhole) return (text, space) => this.#ask(text, space)
    const whose = configured === null ? "the configured embedder" : embedderName(configured.space)
    this.addNotice(
      `not every memory has a vector of ${whose} yet (a server computes them, or run: aman memory embed)`,
    )
    return undefined
  }

  /** Adds a notice for a failure; each failure is reported once until the embedder answers again. */
  addNotice(failure: string): void {
    if (this.#reported.has(failure)) return
    this.#reported.add(failure)
    this.#pending.push(`${failure}; the built-in vectors were used instead`)
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
    const { knowledge, embeddings } = this.#config()
    if (knowledge.embedder === "static") return false
    try {
      return embedderChoice(embeddings) !== null
    } catch (error) {
      if (!(error instanceof AmanError)) throw error
      this.addNotice(errorWithHint(error))
      return false
    }
  }
}

export function errorWithHint({ message, hint }: AmanError): string {
  return hint === undefined ? message : `${message} (${hint})`
}

/** Name of the embedder for messages, such as "ollama nomic-embed-text:latest". */
export function embedderName(space: EmbeddingSpace): string {
  return `${space.provider} ${modelName(space)}`
}
