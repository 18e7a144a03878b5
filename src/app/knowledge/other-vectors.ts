import { AmanError } from "../../base/errors.ts"
import type { Config } from "../../config/load.ts"
import { type Choice, choiceOf } from "../../embed/choice.ts"
import { modelName } from "../../embed/detect.ts"
import type { EmbeddingSpace } from "../../embed/port.ts"
import type { QueryVector } from "../../embed/query-vectors.ts"
import { isSameSpace } from "../../embed/same-space.ts"
import type { Knowledge } from "../../knowledge/knowledge.ts"
import type { RecallIndex } from "../../knowledge/recall/recall-index.ts"
import { choiceFor } from "../ask-other.ts"

type Ask = (text: string) => Promise<QueryVector>

/** Recall by the embedder of the settings, where the user wants that; where it fails, the built-in one ranks. */
export class OtherVectors {
  readonly #knowledge: Knowledge
  readonly #config: () => Config
  readonly #asked = new Map<string, Promise<Ask>>()
  readonly #said = new Set<string>()
  #toSay: string[] = []

  constructor(knowledge: Knowledge, config: () => Config) {
    this.#knowledge = knowledge
    this.#config = config
  }

  /** Gives the index what is kept of the space that serves now; to be called before each question. */
  takeIn(index: RecallIndex): void {
    const space = this.#config().knowledge.embedder === "static" ? null : this.#knowledge.vectors.space()
    const serving = space !== null && this.#choiceFor(space) !== null ? space : null
    if (!isSameSpace(index.second?.space ?? null, serving)) index.enterSecond(serving)
    const { second } = index
    if (second === null || second.isWhole) return
    const missing = second.without(Number.POSITIVE_INFINITY).map(({ id }) => id)
    for (const [id, blob] of this.#knowledge.vectors.of(missing)) second.add(id, blob)
  }

  /** For RecallIndex.search; undefined where there is nobody to ask. Says why, where there should be. */
  asker(
    index: RecallIndex,
  ): ((text: string, space: EmbeddingSpace) => Promise<Float32Array | null>) | undefined {
    if (index.size === 0 || !this.#isWanted()) return undefined
    const { second } = index
    if (second?.isWhole) return (text, space) => this.#ask(text, space)
    const whose = second === null ? "the configured embedder" : nameOf(second.space)
    this.say(`not every memory has a vector of ${whose} yet (a server makes them, or run: aman memory embed)`)
    return undefined
  }

  /** Each failure once, until it goes well again. */
  say(failure: string): void {
    if (this.#said.has(failure)) return
    this.#said.add(failure)
    this.#toSay.push(`${failure}; ranked by the built-in vectors instead`)
  }

  /** What is to be said now. */
  notices(): string[] {
    return this.#toSay.splice(0)
  }

  async #ask(text: string, space: EmbeddingSpace): Promise<Float32Array | null> {
    const choice = this.#choiceFor(space)
    if (choice === null) return null
    const key = JSON.stringify(space)
    const asked = this.#asked.get(key) ?? this.#open(choice, space)
    this.#asked.set(key, asked)
    const answer = await (await asked)(text)
    if ("vector" in answer) {
      this.#said.clear()
      return answer.vector
    }
    this.say(answer.failure)
    return null
  }

  async #open(choice: Choice, space: EmbeddingSpace): Promise<Ask> {
    const { askEmbedder } = await import("./ask-embedder.ts")
    return askEmbedder(choice, space, this.#config().performance.cacheSize)
  }

  #choiceFor(space: EmbeddingSpace): Choice | null {
    return choiceFor(this.#config(), space)
  }

  /** Settings that name nobody properly are said; those that name the built-in one are followed. */
  #isWanted(): boolean {
    const { knowledge, embeddings } = this.#config()
    if (knowledge.embedder === "static") return false
    try {
      return choiceOf(embeddings) !== null
    } catch (error) {
      if (!(error instanceof AmanError)) throw error
      this.say(shown(error))
      return false
    }
  }
}

export function shown({ message, hint }: AmanError): string {
  return hint === undefined ? message : `${message} (${hint})`
}

/** "ollama nomic-embed-text:latest" */
export function nameOf(space: EmbeddingSpace): string {
  return `${space.provider} ${modelName(space)}`
}
