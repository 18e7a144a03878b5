import { projectRoot } from "../index/index.ts"
import {
  Knowledge,
  type KnowledgeCall,
  type KnowledgeGraph,
  knowledgePath,
  Memory,
  type RecallAnswer,
  type RecallRequest,
  type RememberAnswer,
  type RememberOptions,
  type RememberRequest,
  recall,
  rememberCompared,
  runCall,
  toEntryInput,
} from "../memory/index.ts"

export { AmanError } from "../base/index.ts"
export type { Entry, GraphEntity, GraphRelation } from "../memory/index.ts"
export { findEntity, listEntities, related, shortestPath } from "../memory/index.ts"
export type { KnowledgeCall, KnowledgeGraph, RecallAnswer, RecallRequest, RememberAnswer, RememberRequest }

export type OpenOptions = {
  /** Folder in a project, whose entries rank first. Default: the working directory; null: no project. */
  readonly folder?: string | null
  /** Path of a knowledge.db; ":memory:" for a temporary one. Default: the file `aman` uses. */
  readonly path?: string
  readonly readonly?: boolean
}

/** The library API (docs/library.md): aman's memory for programs on Bun. */
export async function openKnowledge(options: OpenOptions = {}): Promise<OpenKnowledge> {
  const { folder = process.cwd(), path = knowledgePath(), readonly = false } = options
  const root = folder === null ? null : projectRoot({ cwd: folder })
  const memory = new Memory(new Knowledge({ path, now: Date.now, readonly }), root)
  await memory.identify({ make: false })
  return new OpenKnowledge(memory)
}

/**
 * The opened memory. The caller closes it, or declares it with `using`. Several processes may open the same file; each
 * sees the writes of the others.
 */
export class OpenKnowledge implements Disposable {
  readonly #memory: Memory

  constructor(memory: Memory) {
    this.#memory = memory
  }

  /** Synchronous access to stored entries: get, list, revise, history, delete and so on. */
  get entries(): Knowledge {
    return this.#memory.knowledge
  }

  /** Stores one entry or several, all or none; the answers have the same order. */
  remember(
    entries: RememberRequest | readonly RememberRequest[],
    options: RememberOptions = {},
  ): Promise<RememberAnswer> {
    return rememberCompared(this.#memory, [entries].flat().map(toEntryInput), options)
  }

  /** Entries that answer the question, best first. */
  recall(query: string, options: Omit<RecallRequest, "query"> = {}): Promise<RecallAnswer> {
    return recall(this.#memory, { ...options, query })
  }

  /** Entities, their relations and the entries that mention them, as of now. */
  async graph(): Promise<KnowledgeGraph> {
    return (await this.#memory.loaded()).graph.graph()
  }

  /** Runs any other action of the `knowledge` tool and returns its data. */
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
