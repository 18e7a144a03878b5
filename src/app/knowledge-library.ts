import type { KnowledgeGraph } from "../knowledge/graph/knowledge-graph.ts"
import { Knowledge } from "../knowledge/knowledge.ts"
import type { RecallAnswer } from "./knowledge/answers.ts"
import type { KnowledgeCall } from "./knowledge/calls.ts"
import { knowledgePath, rootOf } from "./knowledge/knowledge-place.ts"
import { Memory } from "./knowledge/memory.ts"
import { askedEntry } from "./knowledge/new-entry.ts"
import { recall } from "./knowledge/recall.ts"
import { rememberAll } from "./knowledge/remember.ts"
import type { RecallRequest, RememberAnswer, RememberOptions, RememberRequest } from "./knowledge/requests.ts"
import { runCall } from "./knowledge/run-call.ts"

export { AmanError } from "../base/errors.ts"
export type { Entry } from "../knowledge/entry.ts"
export { communities } from "../knowledge/graph/communities.ts"
export { findEntity } from "../knowledge/graph/find-entity.ts"
export { listEntities } from "../knowledge/graph/list-entities.ts"
export { paths } from "../knowledge/graph/paths.ts"
export { related } from "../knowledge/graph/related.ts"
export type { GraphEntity, GraphRelation } from "../knowledge/graph/settled-graph.ts"
export type { KnowledgeCall, KnowledgeGraph, RecallAnswer, RecallRequest, RememberAnswer, RememberRequest }

export type OpenOptions = {
  /** Any folder of a project: its entries come first. The working folder where absent; null: of no project. */
  readonly folder?: string | null
  /** Of a knowledge.db; ":memory:" for a passing one. That of `aman` where absent. */
  readonly path?: string
  readonly readonly?: boolean
}

/** The library door (docs/library.md): what `aman` remembers, for programs on Bun. */
export async function openKnowledge(options: OpenOptions = {}): Promise<OpenKnowledge> {
  const { folder = process.cwd(), path = knowledgePath(), readonly = false } = options
  const root = folder === null ? null : rootOf({ cwd: folder })
  const memory = new Memory(new Knowledge({ path, now: Date.now, readonly }), root)
  await memory.identify({ make: false })
  return new OpenKnowledge(memory)
}

/** Close it, or declare it by `using`. Every process may have the same file open; each sees what others write. */
export class OpenKnowledge implements Disposable {
  readonly #memory: Memory

  constructor(memory: Memory) {
    this.#memory = memory
  }

  /** Entries as they are kept: get, list, revise, history, delete and so on, without waiting. */
  get entries(): Knowledge {
    return this.#memory.knowledge
  }

  /** One or several, all of them or none; answers in their order. */
  remember(
    entries: RememberRequest | readonly RememberRequest[],
    options: RememberOptions = {},
  ): Promise<RememberAnswer> {
    return rememberAll(this.#memory, [entries].flat().map(askedEntry), options)
  }

  /** What answers the question, best first. */
  recall(query: string, options: Omit<RecallRequest, "query"> = {}): Promise<RecallAnswer> {
    return recall(this.#memory, { ...options, query })
  }

  /** Entities, the relations between them and the entries that speak of them, as of now. */
  async graph(): Promise<KnowledgeGraph> {
    return (await this.#memory.known()).graph.graph()
  }

  /** Anything else that the `knowledge` tool does; the same plain data. */
  async call(call: KnowledgeCall): Promise<object> {
    return (await runCall(this.#memory, call)).data
  }

  close(): void {
    this.#memory.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }
}
