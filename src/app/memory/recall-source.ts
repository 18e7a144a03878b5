import { GraphIndex } from "../../memory/entities/graph/graph-index.ts"
import type { Entry } from "../../memory/entries/entry.ts"
import { entryMatcher } from "../../memory/entries/entry-filter.ts"
import type { Knowledge } from "../../memory/knowledge.ts"
import type { ChangedSince } from "../../memory/log/changed-since.ts"
import type { RecallHit } from "../../memory/recall/hits.ts"
import { RecallIndex } from "../../memory/recall/index/recall-index.ts"
import type { ConfiguredVectors } from "./embedding/configured-vectors.ts"
import { storeFilterFor } from "./entries/entry-scope.ts"
import type { Memory } from "./memory.ts"
import type { EntryFilter } from "./requests.ts"

/** The entries that are not deleted, their index, and the graph of their entities. */
export type Known = {
  readonly index: RecallIndex
  readonly entries: ReadonlyMap<string, Entry>
  readonly graph: GraphIndex
}

/** Keeps the index of all entries up to date with the store, including writes of other processes. */
export class RecallSource {
  readonly #knowledge: Knowledge
  readonly #index = new RecallIndex()
  readonly #entries = new Map<string, Entry>()
  readonly #graph = new GraphIndex()
  readonly #configuredVectors: ConfiguredVectors
  #seq = 0
  /** Updates run one at a time: a caller that comes during an update waits for it instead of repeating it. */
  #following: Promise<void> = Promise.resolve()

  constructor(knowledge: Knowledge, configuredVectors: ConfiguredVectors) {
    this.#knowledge = knowledge
    this.#configuredVectors = configuredVectors
  }

  /** The entries in the store's current state. */
  async current(): Promise<Known> {
    this.#following = this.#following.catch(() => {}).then(() => this.#follow())
    await this.#following
    this.#configuredVectors.loadInto(this.#index)
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
      this.#index.remove(gone)
      await this.#index.upsert(living)
      this.#graph.apply(changes)
    }
    this.#seq = seq
  }

  /** Fills the index; reads computed data from the store and stores data that was computed now. */
  async #fill(living: readonly Entry[], changes: ChangedSince): Promise<void> {
    const kept = living.length < MIN_ENTRIES_TO_READ ? NO_COMPUTED : this.#knowledge.computed()
    const pack = await this.#index.fill(living, kept.pack)
    const links = this.#graph.fill(changes, kept.links)
    this.#knowledge.storeComputed({ pack, links }, changes.seq)
  }
}

const NO_COMPUTED = { pack: null, links: null }
/** Min entries for which reading the stored computed data is faster than computing it. */
const MIN_ENTRIES_TO_READ = 50

/** A hit with its full entry. */
export type Found = RecallHit & { readonly entry: Entry }

export type SearchedKnown = {
  /** Best first. */
  readonly hits: readonly Found[]
  /** All entries that match the filter. */
  readonly entries: readonly Entry[]
  readonly confidence: number
  readonly rarity: (word: string) => number
  /** Id of the project in which the question was asked; null outside of projects. */
  readonly project: string | null
  /** Reports the part of the question that was cut off. */
  readonly notices: readonly string[]
}

// Max characters, about 600 words. Only the 32 rarest words rank, and every channel reads the text again.
const MAX_QUESTION = 4000

/** The entries that match the filter, ranked by all channels. */
export async function searchEntries(
  memory: Memory,
  request: EntryFilter & { readonly query: string },
  limit: number,
): Promise<SearchedKnown> {
  const query = truncateQuestion(request.query)
  const { index, entries, graph } = await memory.known()
  const project = memory.project()
  const wanted = storeFilterFor(memory, request, project)
  const accepts = entryMatcher(wanted, new Date().toISOString())
  const ask = memory.configuredVectors.asker(index)
  const { hits, confidence } = await index.search(query, {
    limit,
    accept: ({ id }) => accepts(entries.get(id)!),
    // The result for "now" is not cached, because it changes with time.
    ...(wanted.asOf !== "now" && { acceptName: JSON.stringify(wanted) }),
    project,
    ...(ask !== undefined && { ask }),
    channels: memory.config.weights,
    near: (best, accepts) => graph.scores(best, query, project, accepts),
  })
  return {
    hits: hits.map((hit) => ({ ...hit, entry: entries.get(hit.document.id)! })),
    get entries() {
      return [...entries.values()].filter(accepts)
    },
    confidence,
    rarity: (word) => index.rarity(word),
    project,
    notices: query === request.query ? [] : [leftOut(request.query)],
  }
}

/** The question, cut to MAX_QUESTION characters. */
export function truncateQuestion(query: string): string {
  return query.length <= MAX_QUESTION ? query : query.slice(0, MAX_QUESTION).toWellFormed()
}

function leftOut({ length }: string): string {
  return `the question has ${length} characters, and only the first ${MAX_QUESTION} were used; ask a shorter question`
}
