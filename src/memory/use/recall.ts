/*
 * Keeps the recall index and the entity graph of all entries current. `current`: 1. opens the stored index or
 * computes it; 2. applies the events since then, one update at a time; 3. stores the index again if enough was added.
 * `searchEntries` runs a question on it and repeats the search if another process wrote meanwhile.
 */

import { charactersIn } from "../../text/index.ts"
import { EXCERPT_BUDGETS, excerpt } from "../conflicts/excerpt.ts"
import { isAboutPast } from "../conflicts/past.ts"
import { relativeDates } from "../conflicts/relative-dates.ts"
import { MAX_LIFTED, type MarkedHit, settleRead, withoutReplaced } from "../conflicts/settle.ts"
import { GraphIndex, type GraphSource } from "../entities/graph-index.ts"
import type { Entry } from "../entries/entry.ts"
import { entryMatcher } from "../entries/list-entries.ts"
import { inZone, lastMoment, parseTime, zoneAt } from "../entries/times.ts"
import type { Knowledge } from "../knowledge.ts"
import type { ChangedSince } from "../log/derive.ts"
import { fitting, inLine } from "../recall/chance.ts"
import type { ImageParts } from "../recall/index/frozen.ts"
import { storedEntries } from "../recall/index/image.ts"
import { RecallIndex, type RecallOptions } from "../recall/index/recall-index.ts"
import type { ConfiguredSpaceVectors } from "../recall/index/vectors.ts"
import type { RecallHit as RankedHit } from "../recall/rank.ts"
import type { ConfiguredVectors } from "./embedding/configured-vectors.ts"
import { storeFilterFor } from "./entries/entry-names.ts"
import { hitOutput } from "./entries/entry-output.ts"
import type { Memory } from "./memory.ts"
import { pendingNotice, unusedSharedFolder } from "./pending-changes.ts"
import type { DetailLevel, EntryFilter, RecallAnswer, RecallHit, RecallRequest } from "./requests.ts"
import { withCommits } from "./sources.ts"

/** The entries that are not deleted, their index, and the graph of their entities. */
export type LoadedMemory = {
  readonly index: Pick<RecallIndex, "search" | "size">
  readonly entries: LoadedEntries
  readonly graph: GraphIndex
  /** The entries' vectors in the space that is in use; null when there is none. */
  readonly configuredVectors: () => ConfiguredSpaceVectors | null
  /** The `ask` function for a question; see RecallOptions. */
  readonly queryEmbedder: () => Promise<RecallOptions["ask"]>
  /** Returns false once another process has written to the store: `entries` may then be newer than `index`. */
  readonly isSteady: () => boolean
}

/** Entries by id. */
type LoadedEntries = Pick<ReadonlyMap<string, Entry>, "get" | "size" | "values">

/** The same entries and index with only those of the given projects. */
export function loadedWithin(loaded: LoadedMemory, projects: readonly (string | null)[]): LoadedMemory {
  const { index, entries } = loaded
  const isWithin = ({ project }: { readonly project: string | null }) => projects.includes(project)
  return {
    ...loaded,
    index: {
      search: (text, { accept, ...options }) =>
        index.search(text, {
          ...options,
          accept: (document) => isWithin(document) && (accept?.(document) ?? true),
        }),
      size: index.size,
    },
    entries: {
      get(id) {
        const entry = entries.get(id)
        return entry !== undefined && isWithin(entry) ? entry : undefined
      },
      size: entries.size,
      values: () => entries.values().filter(isWithin) as MapIterator<Entry>,
    },
  }
}

/** Keeps the index of all entries up to date with the store, including writes of other processes. */
export class RecallSource {
  readonly #knowledge: Knowledge
  readonly #index = new RecallIndex()
  readonly #entries: CachedEntries
  readonly #graph = new GraphIndex()
  readonly #configuredVectors: ConfiguredVectors
  #seq = 0
  /** Updates run one at a time: a caller that comes during an update waits for it instead of repeating it. */
  #updating: Promise<void> = Promise.resolve()

  constructor(knowledge: Knowledge, configuredVectors: ConfiguredVectors) {
    this.#knowledge = knowledge
    this.#entries = new CachedEntries(knowledge, this.#index)
    this.#configuredVectors = configuredVectors
  }

  /** The entries in the store's current state. */
  async current(): Promise<LoadedMemory> {
    this.#updating = this.#updating.catch(() => {}).then(() => this.#update())
    await this.#updating
    const [index, vectors] = [this.#index, this.#configuredVectors]
    let asked: ReturnType<LoadedMemory["queryEmbedder"]> | undefined
    return {
      ...{ index, entries: this.#entries, graph: this.#graph },
      configuredVectors: () => vectors.loadInto(index),
      queryEmbedder: () => (asked ??= vectors.queryEmbedder(index)),
      isSteady: () => this.#entries.areInMemory || this.#isCurrent,
    }
  }

  /** True if `current` would change nothing. */
  get #isCurrent(): boolean {
    return this.#knowledge.lastSeq() === this.#seq
  }

  async #update(): Promise<void> {
    if (this.#isCurrent) return
    if (this.#seq === 0) this.#seq = await this.#open()
    if (!this.#isCurrent) await this.#apply(this.#knowledge.changedSince(this.#seq))
  }

  async #apply(changes: ChangedSince): Promise<void> {
    const { gone, living } = splitDeleted(changes)
    this.#entries.apply(living, gone)
    this.#index.remove(gone)
    await this.#index.upsert(living)
    this.#graph.apply(changes)
    this.#seq = changes.seq
  }

  /** Opens the stored index and adds what is new. Returns the number of the last event that it takes into account. */
  async #open(): Promise<number> {
    const knowledge = this.#knowledge
    const { isLarge, since, parts, changes, delta } = knowledge.consistently(() => this.#readStored())
    const { gone, living } = splitDeleted(delta)
    const { seq } = changes
    this.#graph.apply({ entities: changes.entities, relations: changes.relations })
    if (isLarge) this.#entries.release()
    else this.#entries.apply(splitDeleted(changes).living, [])
    if (parts !== null) this.#graph.open(this.#graphSource(parts, seq), parts)
    this.#index.remove(gone)
    let added = living.length
    if (isLarge && since === 0) added = await this.#addAll()
    else {
      this.#graph.apply({ entries: delta.entries, purged: delta.purged })
      await this.#index.upsert(living)
    }
    if (!isLarge && this.#index.size !== this.#entries.size) {
      // The stored index does not match the stored entries, so some of them would not be found.
      this.#index.clear()
      this.#graph.clear()
      this.#graph.apply({ entries: this.#entries.values() })
      await this.#index.upsert([...this.#entries.values()])
      added = this.#index.size
    }
    const isWorthStoring = added >= Math.max(MIN_ADDED, this.#index.size * MIN_ADDED_SHARE)
    if (isWorthStoring && !knowledge.readonly) this.#storeIndex(seq, isLarge)
    return seq
  }

  #storeIndex(seq: number, isLarge: boolean): void {
    const image = this.#index.freeze(seq)
    this.#knowledge.storeComputed({ image, graph: null }, seq)
    // A large index is opened again from its stored image, because it then needs a fraction of the memory.
    if (isLarge) this.#index.open(image, this.#entries.textOf)
    this.#graph.reopen(this.#graphSource(image, seq))
  }

  #graphSource(image: ImageParts, seq: number): GraphSource {
    return {
      entries: storedEntries(image),
      texts: (beginnings, ids) => this.#entries.containing(beginnings, ids),
      store: (graph) => this.#knowledge.storeComputed({ image: null, graph }, Math.max(seq, this.#seq)),
    }
  }

  /** The stored index and the entries that changed after it was stored. Must be called in one transaction. */
  #readStored() {
    const knowledge = this.#knowledge
    const count = knowledge.count()
    const isLarge = count > MAX_CACHED
    const stored = count < MIN_ENTRIES_TO_READ ? null : knowledge.computed()
    const since = (stored && this.#index.open(stored, this.#entries.textOf)) ?? 0
    const changes = knowledge.changedSince(0, isLarge ? knowledge.lastSeq() : 0)
    const isNew = isLarge && since === 0
    const delta = since === 0 || isNew ? changes : knowledge.changedSince(since)
    return { isLarge, since, parts: since === 0 ? null : stored, changes, delta }
  }

  /** Adds every entry of the store to the index, some at a time; returns their number. */
  async #addAll(): Promise<number> {
    const { textOf } = this.#entries
    for (const page of this.#knowledge.pages()) {
      const living = page.filter(({ deletedAt }) => deletedAt === null)
      await this.#index.upsert(living, (entry) => ({
        ...entry,
        get text() {
          return textOf(entry.id)
        },
      }))
    }
    return this.#index.size
  }
}

/** Entries that are not deleted, and ids of those that are or were purged. */
function splitDeleted({ entries, purged }: ChangedSince) {
  const living = entries.filter(({ deletedAt }) => deletedAt === null)
  const deleted = entries.filter(({ deletedAt }) => deletedAt !== null).map(({ id }) => id)
  return { living, gone: [...purged, ...deleted] }
}

/**
 * The entries of the index. Up to MAX_CACHED entries are in memory; with more, each is read from the store when it is
 * needed.
 */
class CachedEntries implements LoadedEntries {
  readonly #knowledge: Knowledge
  readonly #index: RecallIndex
  /** Null while entries are read from the store. */
  #inMemory: Map<string, Entry> | null = new Map()
  /** The entries that were read last, so that what is computed from an entry is not computed again for each question. */
  readonly #recent = new Map<string, Entry>()
  readonly textOf = (id: string): string => this.get(id)?.text ?? ""

  constructor(knowledge: Knowledge, index: RecallIndex) {
    this.#knowledge = knowledge
    this.#index = index
  }

  /** False while entries are read from the store, which may be newer than the index. */
  get areInMemory(): boolean {
    return this.#inMemory !== null
  }

  get size(): number {
    return this.#inMemory?.size ?? this.#index.size
  }

  get(id: string): Entry | undefined {
    if (this.#inMemory !== null) return this.#inMemory.get(id)
    return this.#recent.get(id) ?? this.#read(id)
  }

  #read(id: string): Entry | undefined {
    const entry = this.#index.has(id) ? this.#knowledge.get([id])[0] : undefined
    if (entry === undefined) return undefined
    if (this.#recent.size >= 500) this.#recent.clear()
    this.#recent.set(id, entry)
    return entry
  }

  /** All entries of the store. The first call loads them into memory, where they stay. */
  values(): MapIterator<Entry> {
    if (this.#inMemory === null) {
      const living = [...this.#knowledge.pages()].flat().filter(({ deletedAt }) => deletedAt === null)
      this.#inMemory = new Map(living.map((entry) => [entry.id, entry]))
    }
    return this.#inMemory.values()
  }

  /** Like `entriesWith` of the store. If the entries are in memory, returns all of them. */
  containing(beginnings: readonly string[] | null, ids: readonly string[]): Iterable<Entry> {
    return this.#inMemory?.values() ?? this.#knowledge.entriesWith(beginnings, ids)
  }

  apply(living: readonly Entry[], gone: readonly string[]): void {
    this.#recent.clear()
    for (const id of gone) this.#inMemory?.delete(id)
    for (const entry of living) this.#inMemory?.set(entry.id, entry)
  }

  release(): void {
    this.#inMemory = null
  }
}

/** Min entries for which reading the stored index is faster than computing it. */
const MIN_ENTRIES_TO_READ = 50
/** Max entries that a process caches in memory. Reading that many and verifying their checksums takes some 10 ms. */
const MAX_CACHED = 2000
/**
 * The index is stored again if at least this many entries had to be added to it, and at least this share of all
 * entries.
 */
const MIN_ADDED = 50
const MIN_ADDED_SHARE = 0.005

/** A hit with its full entry. */
type RecallResult = RankedHit & { readonly entry: Entry }

type SearchedMemory = {
  /** Best first. */
  readonly hits: readonly RecallResult[]
  /** Returns all entries that match the filter; reads the whole store. */
  readonly entries: () => Entry[]
  /** An entry that matches the filter; null if none has this id. */
  readonly entry: (id: string) => Entry | null
  readonly confidence: number
  /** True for a question without a word, whose hits are the newest entries. */
  readonly isNewest: boolean
  /** Id of the project in which the question was asked; null outside of projects. */
  readonly project: string | null
  /** A notice if the question was too long and was cut. */
  readonly notices: readonly string[]
}

// Max characters of a question, about 600 words. Only its 32 rarest words are used for ranking, and each channel
// reads the whole text again.
const MAX_QUESTION = 4000

/** The entries that match the filter, ranked by all channels. */
export async function searchEntries(
  memory: Memory,
  request: EntryFilter & { readonly query: string },
  limit: number,
): Promise<SearchedMemory> {
  const query = truncateQuestion(request.query)
  const project = memory.project()
  const filter = storeFilterFor(memory, request, project)
  const now = new Date().toISOString()
  const accepts = entryMatcher(filter, now)
  const days = await relativeDates(query, inZone(now, zoneAt(now)).slice(0, 10))
  for (let tries = 1; ; tries++) {
    const { index, entries, graph, isSteady, queryEmbedder } = await memory.loaded()
    const ask = await queryEmbedder()
    const {
      hits,
      confidence,
      isNewest = false,
    } = await index.search(query, {
      limit,
      accept: accepts,
      project,
      ...(ask !== undefined && { ask }),
      near: (best, accepts) => graph.scores(best, query, project, accepts),
      days,
    })
    // One transaction for all entries that are read from the store.
    const withEntries = memory.knowledge.consistently(() =>
      hits.map((hit) => ({ ...hit, entry: entries.get(hit.document.id) })),
    )
    if (!isSteady() && tries < MAX_TRIES) continue
    return {
      hits: withEntries.filter((hit): hit is RecallResult => hit.entry !== undefined),
      entries: () => [...entries.values()].filter(accepts),
      entry: (id) => [entries.get(id)].find((entry) => entry !== undefined && accepts(entry)) ?? null,
      ...{ confidence, isNewest, project },
      notices:
        query === request.query
          ? []
          : [
              `the question has ${request.query.length} characters, and only the first ${MAX_QUESTION} were used; ask a shorter question`,
            ],
    }
  }
}

/**
 * Max number of attempts to search while no other process writes to the store. The result of the last attempt is used
 * in any case.
 */
const MAX_TRIES = 3

/** The question, cut to MAX_QUESTION characters. */
export function truncateQuestion(query: string): string {
  return query.length <= MAX_QUESTION ? query : query.slice(0, MAX_QUESTION).toWellFormed()
}

/** Entries that answer the query, best first. A valid entry comes before the entries that it superseded. */
export async function recall(memory: Memory, request: RecallRequest): Promise<RecallAnswer> {
  const started = performance.now()
  const { query: question, detail = "full", limit } = request
  const isCount = detail === "count"
  const ranked = await rankedEntries(memory, request, isCount ? Number.POSITIVE_INFINITY : (limit ?? LIMIT))
  const isAll = isCount || limit !== undefined || ranked.isNewest
  const hits = isAll ? ranked.hits : fitting(ranked.hits, ranked.confidence)
  const searched = { ...ranked, hits }
  const shown = isCount ? [] : await shownHits(memory, request, searched)
  const results = spendTokens(isAll ? shown : inLine(shown), detail, request.max_tokens)
  const unused = ranked.hits.length > 0 || memory.root === null ? null : unusedSharedFolder(memory.root)
  return {
    query: truncateQuestion(question),
    results,
    total: isCount ? hits.length : results.length,
    confidence: ranked.confidence,
    notices: [
      ...memory.notices,
      ...ranked.notices,
      ...(ranked.isNewest && question.trim() !== "" && hits.length > 0 ? [NO_WORDS_NOTICE] : []),
      ...(hits.length < 1 && ranked.hits.length > 0 ? [NOTHING_FITS_NOTICE] : []),
      ...(results.some((hit) => hit.cut && hit.in_line) ? [LINES_NOTICE] : []),
      ...(unused === null ? [] : [pendingNotice(unused)]),
    ],
    took_ms: Math.round((performance.now() - started) * 100) / 100,
  }
}

/** Number of entries that an answer has at most if the request has no limit. It ends earlier where the chances fall. */
const LIMIT = 10

const NOTHING_FITS_NOTICE =
  "nothing fits: the nearest entries are probably about something else; use other words, or set a limit to see them"

const LINES_NOTICE = "what fits less is cut to one line; get shows an entry, and a limit all of them whole"

const NO_WORDS_NOTICE = "the question has no words: these are the newest entries; ask with words"

type RankedMemory = Pick<SearchedMemory, "confidence" | "isNewest" | "project" | "notices"> & {
  readonly hits: readonly MarkedHit<RecallResult>[]
}

/**
 * The first `limit` entries that answer the query, ordered and marked by conflicts as of the time in the request; unless
 * outdated ones are asked for, without those that a shown one probably replaces. It decides for every caller: a longer list
 * begins with the shorter one.
 */
export async function rankedEntries(
  memory: Memory,
  request: EntryFilter & { readonly query: string },
  limit: number,
): Promise<RankedMemory> {
  const { query, as_of } = request
  const filter = { ...request, outdated: request.outdated ?? isAboutPast(query) }
  const { hits, ...searched } = await searchEntries(memory, filter, limit + MAX_LIFTED)
  const at = as_of === undefined ? new Date().toISOString() : lastMoment(parseTime(as_of, "as_of"))
  const { readings } = memory.knowledge
  const find = (id: string, than: RecallResult) => newerHit(searched.entry(id), than.chance)
  const settled = settleRead(query, hits, { at, readings, newerHit: find })
  return { ...searched, hits: (filter.outdated ? settled : withoutReplaced(settled)).slice(0, limit) }
}

/** A hit for an entry that makes another one untrue and that the question did not find. */
export function newerHit(entry: Entry | null, chance: number): RecallResult | null {
  if (entry === null) return null
  const window = { start: 0, end: entry.text.length }
  return { entry, document: entry, score: 0, chance, cosine: 0, terms: [], window }
}

async function shownHits(
  memory: Memory,
  { by_topic, explain = false }: RecallRequest,
  { hits, project }: RankedMemory,
): Promise<RecallHit[]> {
  const checked = await Promise.all(
    hits.map(({ hit, mark }) => hitOutput(memory, hit, mark, { explain, project })),
  )
  const entries = hits.map(({ hit }) => hit.entry)
  const shown = await withCommits(memory, entries, checked)
  return by_topic ? [...Map.groupBy(shown, ({ topic }) => topic.toLowerCase()).values()].flat() : shown
}

/** Min characters shown of each hit; a shorter excerpt would be useless. */
const MIN_CHARACTERS = 120
/** Max characters shown of a hit in one line. */
const LINE = 60

/**
 * Cuts each text to the length of the requested detail, and all of them to `tokens` in total; each hit that is
 * not in one line gets an equal share of the tokens that are left.
 */
export function spendTokens(
  hits: readonly RecallHit[],
  detail: DetailLevel,
  tokens = Number.POSITIVE_INFINITY,
) {
  const maxCharacters = detail === "count" ? 0 : EXCERPT_BUDGETS[detail]
  let longer = hits.filter((hit) => !hit.in_line).length
  let left = charactersIn(tokens) - LINE * (hits.length - longer)
  return hits.map((hit) => {
    const share = hit.in_line ? LINE : Math.max(MIN_CHARACTERS, Math.floor(left / longer--))
    const { text, isWhole } = excerpt(hit.text, hit.window, Math.min(maxCharacters, share))
    if (!hit.in_line) left -= text.length
    return isWhole ? hit : { ...hit, text, cut: true }
  })
}
