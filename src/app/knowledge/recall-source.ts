import type { ChangedSince } from "../../knowledge/changed-since.ts"
import type { Entry } from "../../knowledge/entry.ts"
import { GraphIndex } from "../../knowledge/graph/graph-index.ts"
import type { Knowledge } from "../../knowledge/knowledge.ts"
import { RecallIndex } from "../../knowledge/recall/recall-index.ts"
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
    if (this.#seq === 0) await this.#fill(living, changes)
    else {
      await this.#index.remove(gone)
      await this.#index.upsert(living)
      this.#graph.apply(changes)
    }
    this.#seq = seq
  }

  /** What was computed of entries before is read; what had to be computed of many now is kept. */
  async #fill(living: readonly Entry[], changes: ChangedSince): Promise<void> {
    const kept = living.length < WORTH_READING ? NOTHING : this.#knowledge.computed()
    const pack = await this.#index.fill(living, kept.pack)
    const links = this.#graph.fill(changes, kept.links)
    this.#knowledge.keepComputed({ pack, links }, changes.seq)
  }
}

const NOTHING = { pack: null, links: null }
/** Fewer are computed sooner than all that is kept is read. */
const WORTH_READING = 50
