import type { Entry } from "../../knowledge/entry.ts"
import { GraphIndex } from "../../knowledge/graph/graph-index.ts"
import type { Knowledge } from "../../knowledge/knowledge.ts"
import { ENTRY_BLOB_VERSION } from "../../knowledge/recall/entry-blob.ts"
import { RecallIndex } from "../../knowledge/recall/recall-index.ts"
import type { IndexedEntryRow } from "../../store/knowledge/entry-index.ts"
import type { OtherVectors } from "./other-vectors.ts"

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
  readonly #otherVectors: OtherVectors
  #seq = 0
  /** One at a time: who asks while another takes entries in waits for that, rather than doing the same again. */
  #following: Promise<void> = Promise.resolve()

  constructor(knowledge: Knowledge, otherVectors: OtherVectors) {
    this.#knowledge = knowledge
    this.#otherVectors = otherVectors
  }

  /** As the store is now. */
  async current(): Promise<Known> {
    this.#following = this.#following.catch(() => {}).then(() => this.#follow())
    await this.#following
    this.#otherVectors.takeIn(this.#index)
    return { index: this.#index, entries: this.#entries, graph: this.#graph }
  }

  async #follow(): Promise<void> {
    if (this.#knowledge.lastSeq() === this.#seq) return
    const changes = this.#knowledge.changedSince(this.#seq)
    const { entries, purged, seq } = changes
    const living = entries.filter(({ deletedAt }) => deletedAt === null)
    const gone = [...purged, ...entries.filter(({ deletedAt }) => deletedAt !== null).map(({ id }) => id)]
    for (const id of gone) this.#entries.delete(id)
    for (const entry of living) this.#entries.set(entry.id, entry)
    await this.#index.remove(gone)
    await this.#takeIn(living, seq)
    this.#graph.apply(changes)
    this.#seq = seq
  }

  /** What was computed of an entry before is read; what had to be computed of many now is kept. */
  async #takeIn(living: readonly Entry[], seq: number): Promise<void> {
    const version = ENTRY_BLOB_VERSION
    const blobs = new Map(
      living.length < WORTH_READING
        ? []
        : this.#knowledge.index.all(version).map(({ entry, blob }) => [entry, blob]),
    )
    const computed: IndexedEntryRow[] = []
    await this.#index.upsert(living, {
      kept: (id) => blobs.get(id),
      keep: (entry, blob) => computed.push({ entry, version, blob }),
    })
    if (computed.length >= WORTH_KEEPING) this.#knowledge.keepComputed(computed, seq)
  }
}

/** Fewer are computed sooner than all that is kept is read. */
const WORTH_READING = 50
/** Fewer are computed again sooner than they are written. */
const WORTH_KEEPING = 50
