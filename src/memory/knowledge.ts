/*
 * The store of a person's memory: one class in front of the log, the tables derived from it and the projects. Writing
 * methods run in a transaction, append events and update the tables; reading methods return entries as they are now
 * or were then.
 */

import { existsSync, rmSync, writeFileSync } from "node:fs"
import { AmanError } from "../base/index.ts"
import { type EmbeddingSpace, sentenceEncoder } from "../index/index.ts"
import {
  type KnowledgeStore,
  openKnowledgeStore,
  type ProjectsTable,
  type ReadPair,
  type SessionRow,
} from "../store/index.ts"
import { MIN_ODDS, Readings } from "./conflicts/readings.ts"
import { writeEntities } from "./entities/change-entities.ts"
import { checkEntry, checkFields, checkReason, storableSource } from "./entries/check-entry.ts"
import type { Entry, NewEntry, RememberOptions, RememberResult } from "./entries/entry.ts"
import { existingEntry, idOfKey, type Reach, type Reader, textHash, toEntry } from "./entries/entry-rows.ts"
import { type EntryList, type ListOptions, listEntries, type StoreFilter } from "./entries/list-entries.ts"
import { instant } from "./entries/times.ts"
import {
  changeEntries,
  type Invalidation,
  invalidate,
  mergeEntries,
  notNewError,
  type PlannedEntry,
  purge,
  remember,
  similarEntries,
  supersedeEntry,
  type TagChange,
  tagged,
} from "./entries/write-entries.ts"
import { projectBySubject } from "./formats/events.ts"
import {
  appendEvents,
  type ChangedSince,
  changedSince,
  changesSince,
  type EntryStep,
  entrySteps,
  isPurge,
  type RebuildReport,
  rebuild,
} from "./log/derive.ts"
import { type EntryFields, type KnowledgeEvent, toEvent } from "./log/event.ts"
import { canonicalId, createIds } from "./log/ids.ts"
import { Writer } from "./log/writer.ts"
import { ANALYSIS_VERSION } from "./recall/index/analyse.ts"
import type { ImageParts } from "./recall/index/frozen.ts"
import { RecallIndex } from "./recall/index/recall-index.ts"

type KnowledgeOptions = {
  /** Path of knowledge.db; ":memory:" for a temporary store. */
  readonly path: string
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Opens the store without writing; a missing file counts as an empty store. */
  readonly readonly?: boolean
  /** Error that says why the store is opened for reading only; `write` throws it. */
  readonly unwritable?: AmanError | undefined
}

/** An open store with a smaller reach; see `Knowledge.within`. */
type Within = Pick<KnowledgeOptions, "now" | "unwritable"> & {
  readonly store: KnowledgeStore
  readonly reach: Reach
  readonly nextId: () => string
}

type Revision = RememberOptions & { readonly reason?: string | undefined }

/** The memory of a person and their agents: entries, their history and their validity. */
export class Knowledge {
  /** The known projects; stored in tables of their own, not in the log. */
  readonly projects: ProjectsTable
  readonly vectors: StoredVectors
  readonly readings: StoredReadings
  /** Error that says why the store cannot be written; null if it can, or if the caller opened it for reading only. */
  readonly unwritable: AmanError | null
  readonly #store: KnowledgeStore
  readonly #reach: Reach | null
  readonly #now: () => number
  readonly #nextId: () => string
  /** A file that exists from the transaction of a purge until its bytes are erased; "" for a store in memory. */
  readonly #purging: string

  constructor(options: KnowledgeOptions | Within) {
    const { now, unwritable } = options
    this.unwritable = unwritable ?? null
    this.#store = "store" in options ? options.store : openKnowledgeStore(options.path, options)
    this.#reach = "store" in options ? options.reach : null
    this.#now = now
    this.#purging = this.#store.path === ":memory:" ? "" : `${this.#store.path}.purging`
    this.#nextId = "store" in options ? options.nextId : createIds(now)
    this.projects = this.#store.projects
    this.vectors = new StoredVectors(this.#store)
    this.readings = new StoredReadings(this.#store, (project) => this.#isReached(project))
  }

  /**
   * The same store for somebody who may reach only the entries of some projects. The others do not exist there: an id
   * of one is unknown, and nothing can erase entries or read the whole log.
   */
  within(reach: Reach): Knowledge {
    const unwritable = this.unwritable ?? undefined
    return new Knowledge({ store: this.#store, reach, now: this.#now, nextId: this.#nextId, unwritable })
  }

  /** False once the store's folder has been replaced by another folder or a link. */
  get isInPlace(): boolean {
    return this.#store.isInPlace
  }

  get readonly(): boolean {
    return this.#store.readonly
  }

  /** Stores all entries, in the given order, or none. */
  remember(inputs: readonly NewEntry[], options: RememberOptions = {}): RememberResult[] {
    const checked = inputs.map((input, i) =>
      checkEntry(input, options, inputs.length > 1 ? i + 1 : undefined),
    )
    const told = new Set<string>()
    return this.write((writer) =>
      checked.map((entry, i) => this.#report(remember(writer, entry, inputs[i]!, told), options)),
    )
  }

  /** Replaces several entries by one. */
  merge(ids: readonly string[], entry: NewEntry, options: RememberOptions = {}): RememberResult {
    return this.write((writer) =>
      this.#report(
        mergeEntries(writer, ids, entry, (whole) => checkEntry(whole, options)),
        options,
      ),
    )
  }

  /**
   * The stored parts computed from all entries, those of the recall index and those of the graph; null if there are none.
   * Entries may have changed since.
   */
  computed(): ImageParts | null {
    return this.#whole.computed.parts()
  }

  /**
   * Stores the parts that are not null, computed at `seq`; does nothing when the log has moved on, another process is
   * writing, or the store is read-only.
   */
  storeComputed({ image, graph }: StoredComputed, seq: number): void {
    const store = this.#whole
    if (this.readonly || (image === null && graph === null)) return
    store.transactionIfFree(() => {
      if (store.events.lastSeq() !== seq) return
      if (image !== null) store.computed.putImage(image)
      if (graph !== null) store.computed.putGraph(graph)
    })
  }

  /** The entries in the order of the ids, deleted ones included; throws NOT_FOUND for an unknown id. */
  get(ids: readonly string[]): Entry[] {
    return this.#store.consistently(() => ids.map((id) => existingEntry(this.#reader, id)))
  }

  /** Id of the entry with this key, even a deleted one; null when no entry has or had it. */
  idOfKey(project: string | null, key: string): string | null {
    return this.#isReached(project) ? idOfKey(this.#store, project, key) : null
  }

  list(filter: StoreFilter = {}, options: ListOptions = {}): EntryList {
    const reach = this.#reach?.()
    const { projects = reach } = filter
    const reached =
      reach && projects ? { ...filter, projects: projects.filter((id) => reach.includes(id)) } : filter
    return this.#store.consistently(() => listEntries(this.#store, reached, options, instant(this.#now())))
  }

  /** Conversations and tasks, latest first. */
  sessions(): SessionRow[] {
    return this.#reached(this.#store.entries.sessions())
  }

  revise(id: string, fields: Partial<EntryFields>, options: Revision = {}): Entry {
    const checked = checkFields(fields, options)
    const reason = checkReason(options.reason, options)
    return this.write((writer) => {
      const change = { type: "revised", fields: checked, ...(reason === null ? {} : { reason }) } as const
      const entry = changeEntries(writer, [id], () => change)[0]!
      writeEntities(writer, entry.project, checked.entities ?? [])
      return entry
    })
  }

  append(id: string, text: string, options: RememberOptions = {}): Entry {
    const checked = checkFields({ text }, options).text!
    return this.#change([id], () => ({ type: "appended", text: checked }))[0]!
  }

  tag(ids: readonly string[], tagging: TagChange, options: RememberOptions = {}): Entry[] {
    return this.#change(ids, tagged(tagging, options))
  }

  /** Records where the entry's source lines are now, or that they were checked and confirmed. */
  anchor(id: string, source: Entry["source"]): Entry {
    return this.#change([id], () => ({ type: "anchored", source: source && storableSource(source) }))[0]!
  }

  /** Records that the entry is no longer valid from `validUntil` on (absent: from now on). */
  invalidate(id: string, how: Invalidation = {}): Entry {
    return this.write((writer) => invalidate(writer, id, how))
  }

  /** Records that entry `by` replaces entry `old`. */
  supersede(old: string, by: string, reason: string | null = null): Entry {
    const why = checkReason(reason)
    return this.write((writer) => supersedeEntry(writer, old, by, why))
  }

  /** Records that the entries hold beside each other: none of them is marked as replaced by another. */
  keep(ids: readonly string[]): Entry[] {
    const distinct = [...new Set(this.get(ids).map(({ id }) => id))]
    if (distinct.length < 2)
      throw new AmanError("USAGE", "keep needs two entries that hold beside each other", {
        hint: "give both ids",
      })
    const kept = this.#change(distinct.slice(0, -1), ({ id, beside = [] }) => {
      const rest = distinct.slice(distinct.indexOf(id) + 1)
      return rest.every((other) => beside.includes(other)) ? null : { type: "kept", beside: rest }
    })
    return [...kept, ...this.get(distinct.slice(-1))]
  }

  /** Marks the entries as deleted: only their history still shows them. */
  delete(ids: readonly string[], reason: string | null = null): Entry[] {
    const deleted = { type: "deleted", reason: checkReason(reason) } as const
    return this.#change(ids, ({ deletedAt }) => (deletedAt === null ? deleted : null))
  }

  /** Undoes a deletion; for an entry that is not deleted, undoes its invalidation or supersession. */
  restore(ids: readonly string[]): Entry[] {
    return this.#change(ids, () => ({ type: "restored" }), existingEntry)
  }

  /**
   * Removes the entries from the log and the disk; only the fact that they existed remains. Returns false when another
   * process still reads the old state, so that some bytes stay: purge again when that process has finished.
   */
  purge(ids: readonly string[]): boolean {
    void this.#whole
    this.write((writer) => {
      purgeEntries(writer, ids)
      this.#markPurging()
    })
    return !existsSync(this.#purging)
  }

  /** Paths of the copies of a damaged file, which a purge removes. */
  damagedCopies(): readonly string[] {
    return this.#store.damagedCopies()
  }

  /** All events of the entry, oldest first, with its state before and after each. */
  history(id: string): EntryStep[] {
    return this.#store.consistently(() => entrySteps(this.#store, existingEntry(this.#reader, id).id))
  }

  /** Events of entries from that date or instant on. */
  changesSince(since: string): EntryStep[] {
    const steps = this.#store.consistently(() => changesSince(this.#store, since))
    const reach = this.#reach?.()
    return reach === undefined
      ? steps
      : steps.filter(({ before, after }) => {
          const entry = after ?? before
          return entry !== null && reach.includes(entry.project)
        })
  }

  /** Number of the last event; 0 when there is none. Cheap enough to check before each query. */
  lastSeq(): number {
    return this.#store.events.lastSeq()
  }

  /** Entries, entities and relations that changed after event number `seq`; see `changedSince` in the log. */
  changedSince(seq: number, entriesSince?: number): ChangedSince {
    return changedSince(this.#whole, seq, entriesSince)
  }

  /** Number of entries, deleted ones included. */
  count(): number {
    return this.#store.entries.count()
  }

  /**
   * All entries, deleted ones included, some thousand at a time, sorted by id; another process may write meanwhile.
   * Throws KNOWLEDGE_CORRUPT if entries are missing.
   */
  *pages(): Iterable<Entry[]> {
    const seq = this.lastSeq()
    let read = 0
    for (let last = ""; ; ) {
      const page = this.#store.entries.following(last, PAGE).map(toEntry)
      read += page.length
      yield this.#reached(page)
      if (page.length < PAGE) break
      last = page.at(-1)!.id
    }
    if (this.lastSeq() === seq && read !== this.count()) this.#store.requireSound()
  }

  /**
   * The entries that are not deleted; leaves out some that have none of these ids and whose text contains none of
   * `beginnings`, in lower case, after Unicode normalisation. Null leaves none out.
   */
  *entriesWith(beginnings: readonly string[] | null, ids: readonly string[]): Iterable<Entry> {
    const isSearchable = beginnings?.every((beginning) => SEARCHABLE.test(beginning)) ?? false
    const pages = isSearchable
      ? [this.#whole.entries.containing(beginnings!, ids).map(toEntry)]
      : this.pages()
    for (const page of pages) for (const entry of page) if (entry.deletedAt === null) yield entry
  }

  /** Events after `afterSeq`, in order of arrival. */
  events(afterSeq = 0): KnowledgeEvent[] {
    const events = this.#store.events.after(afterSeq).map(toEvent)
    if (this.#reach === null) return events
    const scopes = projectBySubject(afterSeq === 0 ? events : this.#store.events.after(0).map(toEvent))
    const reach = this.#reach()
    // A purged subject has no project and no text any more.
    return events.filter(({ subject }) => !scopes.has(subject) || reach.includes(scopes.get(subject)!))
  }

  /** The same events as `events` returns, each with its number. */
  numberedEvents(afterSeq: number): { readonly seq: number; readonly event: KnowledgeEvent }[] {
    return this.#whole.events.after(afterSeq).map((row) => ({ seq: row.seq, event: toEvent(row) }))
  }

  /** Ids of all entries, entities and relations that have events, purged ones included. */
  subjects(): string[] {
    return this.#whole.events.subjects()
  }

  /**
   * Adds events of other stores; returns the number of new ones. Data that purges among them remove is erased from the disk
   * when the transaction has ended.
   */
  appendEvents(events: readonly KnowledgeEvent[]): number {
    return this.write(() => {
      for (const { subject, change } of this.#reach === null ? [] : events) {
        const isNew = change.type === "stored" && this.#isReached(change.fields.project)
        if (!isNew || this.#store.entries.get(subject) !== null) existingEntry(this.#reader, subject)
      }
      if (events.some(isPurge)) {
        this.#markPurging()
        this.#store.computed.clear() // It has words of the erased entries.
      }
      return appendEvents(this.#store, events)
    })
  }

  /** Derives all tables again from the log and reports which rows differed. */
  rebuild(): RebuildReport {
    return this.write(() => rebuild(this.#whole))
  }

  /**
   * Derives every table again when the log is intact; returns whether the file is sound afterwards. When the
   * log itself is damaged, returns false and changes nothing: `recover` salvages the readable part.
   */
  repair(): boolean {
    try {
      const isDerived = this.write(() => {
        if (this.#store.truthDamages().length > 0) return false
        rebuild(this.#store)
        this.#store.computed.clear()
        return true
      })
      return isDerived && this.damages().length === 0
    } catch (error) {
      if (error instanceof AmanError && error.code === "KNOWLEDGE_CORRUPT") return false
      throw error
    }
  }

  /** False once the open file has been replaced by another file. */
  get isCurrent(): boolean {
    return this.#store.isCurrent
  }

  /** Damage found in the file, one line each; reads the whole file. */
  damages(): readonly string[] {
    return this.#store.damages()
  }

  /** Runs `read` so that all its reads see the same state of the store. */
  consistently<T>(read: () => T): T {
    return this.#store.consistently(read)
  }

  close(): void {
    this.#store.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  /** Runs `act` in one transaction: everything it writes is stored, or nothing. Then erases what purges have left on the disk. */
  write<T>(act: (writer: Writer) => T): T {
    if (this.readonly) throw this.unwritable ?? readOnlyError(this.#store.path)
    const result = this.#store.transaction(() =>
      act(new Writer(this.#reader, instant(this.#now()), this.#nextId)),
    )
    const isLeft = !this.#store.inTransaction && existsSync(this.#purging)
    if (isLeft && this.#store.scrub()) rmSync(this.#purging, { force: true })
    return result
  }

  #markPurging(): void {
    if (this.#purging !== "") writeFileSync(this.#purging, "", { mode: 0o600 })
  }

  get #reader(): Reader {
    return { store: this.#store, reach: this.#reach }
  }

  /** The store, for what concerns every project. Throws USAGE if not every project is within reach. */
  get #whole(): KnowledgeStore {
    if (this.#reach === null) return this.#store
    throw new AmanError(
      "USAGE",
      "only a person may do this, because it concerns the memory of every project",
      { hint: "a person can run in a terminal: aman memory" },
    )
  }

  #isReached(project: string | null): boolean {
    return this.#reach === null || this.#reach().includes(project)
  }

  /** Those of the rows whose project is within reach. */
  #reached<Row extends { readonly project: string | null }>(rows: Row[]): Row[] {
    const reach = this.#reach?.()
    return reach === undefined ? rows : rows.filter(({ project }) => reach.includes(project))
  }

  #change(...[ids, change, find]: Tail<Parameters<typeof changeEntries>>): Entry[] {
    return this.write((writer) => changeEntries(writer, ids, change, find))
  }

  #report({ entry, outcome, untaken = [] }: PlannedEntry, { ifNew }: RememberOptions): RememberResult {
    const similar = outcome === "existing" ? [] : similarEntries(this.#store, entry)
    if (ifNew && similar.length > 0) throw notNewError(similar)
    const untakenPart = untaken.length > 0 ? { untaken } : {}
    return { id: entry.id, topic: entry.topic, outcome, ...untakenPart, similar }
  }
}

/** A text that the JSON of an entry contains as it is. */
const SEARCHABLE = /^[a-z0-9]+$/

/** Number of entries that `pages` reads at a time. */
const PAGE = 2000

function readOnlyError(path: string): AmanError {
  const hint = "make its folder writable, or set AMAN_DATA_DIR to another one"
  return new AmanError("IO", `${path} is read-only`, { hint })
}

type Tail<T extends readonly unknown[]> = T extends readonly [unknown, ...infer Rest] ? Rest : never

/**
 * Parts of data computed from all entries and stored for later processes: the recall index, and the graph of its entries
 * (entities/stored-mentions.ts), which is stored only beside it. Null where nothing is stored.
 */
type StoredComputed = { readonly image: ImageParts | null; readonly graph: ImageParts | null }

/**
 * Purges the entries, and reduces the stored recall index to that of the other entries. The stored graph is removed: the
 * next process reads the texts again.
 */
function purgeEntries(writer: Writer, ids: readonly string[]): void {
  const { computed } = writer.store
  const image = computed.parts()
  purge(writer, ids)
  const left = image && withoutEntries(image, ids.map(canonicalId))
  if (left !== null) computed.putImage(left)
}

/**
 * The image without these entries and without any term that only they have, so that the next process does not have to
 * compute everything again. Null when it is of another version or damaged.
 */
function withoutEntries(image: ImageParts, ids: readonly string[]): ImageParts | null {
  const index = new RecallIndex()
  const seq = index.open(image, () => "")
  if (seq === null) return null
  index.remove(ids)
  return index.freeze(seq)
}

/** An entry's vectors and the text they were computed from. */
type TextVectors = { readonly id: string; readonly text: string; readonly blob: Uint8Array }

/** Stored vectors of entries in the configured space; the store holds one such space at a time. */
class StoredVectors {
  readonly #store: KnowledgeStore

  constructor(store: KnowledgeStore) {
    this.#store = store
  }

  /** The stored space; null when there is none, or when its texts were split by another ANALYSIS_VERSION. */
  space(): EmbeddingSpace | null {
    const body = this.#store.vectors.space()
    if (body === null) return null
    const { cut, ...space } = JSON.parse(body)
    return cut === ANALYSIS_VERSION ? space : null
  }

  /** Makes `space` the stored space; vectors of any other space are removed. */
  enter(space: EmbeddingSpace): void {
    this.#store.transaction(() => {
      if (this.#store.vectors.space() !== spaceKey(space)) this.#store.vectors.enter(spaceKey(space))
    })
  }

  /** Stores vectors of `space`, which becomes the stored one, unless another process is writing. */
  keepIfFree(space: EmbeddingSpace, vectors: readonly TextVectors[]): void {
    this.#store.transactionIfFree(() => {
      if (this.#store.vectors.space() !== spaceKey(space)) this.#store.vectors.enter(spaceKey(space))
      this.#put(vectors)
    })
  }

  #put(vectors: readonly TextVectors[]): void {
    for (const { id, text, blob } of vectors)
      this.#store.vectors.put({ entry: id, textHash: textHash(text), blob })
  }

  /** Stores the vectors. False, and nothing is stored, if another process has meanwhile set another embedding space. */
  keep(space: EmbeddingSpace, vectors: readonly TextVectors[]): boolean {
    return this.#store.transaction(() => {
      if (this.#store.vectors.space() !== spaceKey(space)) return false
      this.#put(vectors)
      return true
    })
  }

  /** Vectors by entry id, only of entries whose text has not changed since. */
  of(ids: readonly string[]): ReadonlyMap<string, Uint8Array> {
    return new Map(this.#store.vectors.of(ids).map(({ entry, blob }) => [entry, blob]))
  }

  /** Number of entries with vectors in the stored space. */
  count(): number {
    return this.space() === null ? 0 : this.#store.vectors.count()
  }
}

/** What the reader of pairs read of entries. */
class StoredReadings {
  readonly #store: KnowledgeStore
  readonly #isReached: (project: string | null) => boolean

  constructor(store: KnowledgeStore, isReached: (project: string | null) => boolean) {
    this.#store = store
    this.#isReached = isReached
  }

  /** What was read of these entries, together with any others: the pairs with the odds of a conflict, or at least these. */
  of(ids: readonly string[], least = MIN_ODDS): Readings {
    return new Readings(this.#store.readings.pairsOf(sentenceEncoder.reader, ids, least))
  }

  /** Ids of the notes that hold and were not read since they changed. */
  unread(): string[] {
    const notes = this.#store.readings.unread(sentenceEncoder.reader)
    return notes.filter(({ project }) => this.#isReached(project)).map(({ id }) => id)
  }

  /** Stores what was read of an entry; if another process is writing, it waits, or stores nothing. */
  keep({ id, text }: Entry, pairs: readonly ReadPair[], { waits }: { readonly waits: boolean }): void {
    const put = () => this.#store.readings.put(sentenceEncoder.reader, id, textHash(text), pairs)
    if (waits) this.#store.transaction(put)
    else this.#store.transactionIfFree(put)
  }
}

function spaceKey({ provider, model, dimensions, version }: EmbeddingSpace): string {
  return JSON.stringify({ provider, model, dimensions, version, cut: ANALYSIS_VERSION })
}
