import type { Entry } from "../../knowledge/entry.ts"
import { GraphIndex } from "../../knowledge/graph/graph-index.ts"
import type { Knowledge } from "../../knowledge/knowledge.ts"
import { RecallIndex } from "../../knowledge/recall/recall-index.ts"

/** The living entries, an index of them, and the graph of what they speak of. */
export type Known = {
  readonly index: RecallIndex
  readonly entries: ReadonlyMap<string, Entry>
  readonly graph: GraphIndex
}

/** Keeps the index of all entries in step with the store, other processes' writes included. */
export class RecallSource {
  readonly #knowledge: Knowledge
  readonly #index = new RecallIndex()
  readonly #entries = new Map<string, Entry>()
  readonly #graph = new GraphIndex()
  #seq = 0

  constructor(knowledge: Knowledge) {
    this.#knowledge = knowledge
  }

  /** As the store is now. */
  async current(): Promise<Known> {
    const known = { index: this.#index, entries: this.#entries, graph: this.#graph }
    if (this.#knowledge.lastSeq() === this.#seq) return known
    const changes = this.#knowledge.changedSince(this.#seq)
    const { entries, purged, seq } = changes
    const living = entries.filter(({ deletedAt }) => deletedAt === null)
    const gone = [...purged, ...entries.filter(({ deletedAt }) => deletedAt !== null).map(({ id }) => id)]
    for (const id of gone) this.#entries.delete(id)
    for (const entry of living) this.#entries.set(entry.id, entry)
    this.#index.remove(gone)
    await this.#index.upsert(living)
    this.#graph.apply(changes)
    this.#seq = seq
    return known
  }
}
