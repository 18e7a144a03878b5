import { AmanError } from "../base/errors.ts"
import type { SessionRow } from "../store/knowledge/entries.ts"
import type { KnowledgeStore } from "../store/knowledge/knowledge-store.ts"
import { openKnowledgeStore } from "../store/knowledge/open.ts"
import type { ProjectsTable } from "../store/knowledge/projects.ts"
import { appendEvents } from "./append-events.ts"
import { changeEntries, type Invalidation, invalidate, merge, supersedeEntry } from "./change-entries.ts"
import { type ChangedSince, changedSince } from "./changed-since.ts"
import { changesSince, type EntryStep, entrySteps } from "./changes-since.ts"
import { checkEntry, checkFields, checkReason } from "./check-entry.ts"
import type { Entry } from "./entry.ts"
import type { EntryFilter } from "./entry-filter.ts"
import type { EntryFields, KnowledgeEvent } from "./event.ts"
import { toEvent } from "./event-rows.ts"
import { existingEntry, idOfKey } from "./find-entry.ts"
import { createIds } from "./ids.ts"
import { type KeptComputed, keepComputed, purgeEntries } from "./kept-computed.ts"
import { KeptVectors } from "./kept-vectors.ts"
import { type Listed, type ListOptions, listEntries } from "./list-entries.ts"
import type { NewEntry, Remembered, RememberOptions } from "./new-entry.ts"
import { type Rebuilt, rebuild } from "./rebuild.ts"
import { type Made, remember } from "./remember.ts"
import { notNew, similarEntries } from "./similar.ts"
import { type Tagging, tagged } from "./tagged.ts"
import { instant } from "./times.ts"
import { writeEntities } from "./write-graph.ts"
import { Writer } from "./writer.ts"

export type KnowledgeOptions = {
  /** Of knowledge.db; ":memory:" for a passing one. */
  readonly path: string
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Nothing can be written; where there is no file, nothing is known. */
  readonly readonly?: boolean
  /** Why it is open for reading only: what whoever wants to write is told. */
  readonly unwritable?: AmanError
}

export type Revision = RememberOptions & { readonly reason?: string | undefined }

/** What a person and their agents know: entries, how they came about, and what is still true of them. */
export class Knowledge {
  /** Which projects there are; rows beside the log. */
  readonly projects: ProjectsTable
  readonly vectors: KeptVectors
  /** Why nothing can be written, where that was not asked for. */
  readonly unwritable: AmanError | null
  readonly #store: KnowledgeStore
  readonly #now: () => number
  readonly #nextId: () => string

  constructor({ path, now, readonly = false, unwritable }: KnowledgeOptions) {
    this.unwritable = unwritable ?? null
    this.#store = openKnowledgeStore(path, { readonly })
    this.#now = now
    this.#nextId = createIds(now)
    this.projects = this.#store.projects
    this.vectors = new KeptVectors(this.#store)
  }

  get readonly(): boolean {
    return this.#store.readonly
  }

  /** Stores them all, in their order, or none. */
  remember(inputs: readonly NewEntry[], options: RememberOptions = {}): Remembered[] {
    const checked = inputs.map((input, i) =>
      checkEntry(input, options, inputs.length > 1 ? i + 1 : undefined),
    )
    const told = new Set<string>()
    return this.write((writer) =>
      checked.map((entry, i) => this.#report(remember(writer, entry, inputs[i]!, told), options)),
    )
  }

  /** One entry in the place of several. */
  merge(ids: readonly string[], entry: NewEntry, options: RememberOptions = {}): Remembered {
    return this.write((writer) =>
      this.#report(
        merge(writer, ids, entry, (whole) => checkEntry(whole, options)),
        options,
      ),
    )
  }

  /** What was computed of all entries, as it was kept last; some of them may have changed since. */
  computed(): KeptComputed {
    return { pack: this.#store.computed.pack(), links: this.#store.computed.links() }
  }

  /** Keeps that, of the state at `seq`; nothing where there is another by now, or nothing can be written. */
  keepComputed(computed: KeptComputed, seq: number): void {
    if (!this.readonly) keepComputed(this.#store, computed, seq)
  }

  /** In their order; NOT_FOUND where one is unknown. Deleted ones are found and marked. */
  get(ids: readonly string[]): Entry[] {
    return this.#store.consistently(() => ids.map((id) => existingEntry(this.#store, id)))
  }

  /** Null where no entry bears it, deleted or not. */
  idOfKey(project: string | null, key: string): string | null {
    return idOfKey(this.#store, project, key)
  }

  list(filter: EntryFilter = {}, options: ListOptions = {}): Listed {
    return this.#store.consistently(() => listEntries(this.#store, filter, options, instant(this.#now())))
  }

  /** Conversations and tasks, the last one first. */
  sessions(): SessionRow[] {
    return this.#store.entries.sessions()
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

  tag(ids: readonly string[], tagging: Tagging, options: RememberOptions = {}): Entry[] {
    return this.#change(ids, tagged(tagging, options))
  }

  /** Its lines are elsewhere now, or were looked at and confirmed. */
  anchor(id: string, source: Entry["source"]): Entry {
    return this.#change([id], () => ({ type: "anchored", source }))[0]!
  }

  /** It no longer holds, from `validUntil` on or from now. */
  invalidate(id: string, how: Invalidation = {}): Entry {
    return this.write((writer) => invalidate(writer, id, how))
  }

  /** The old one gives way to the new. */
  supersede(old: string, by: string, reason: string | null = null): Entry {
    const why = checkReason(reason)
    return this.write((writer) => supersedeEntry(writer, old, by, why))
  }

  /** A tombstone: out of every answer but its history. */
  delete(ids: readonly string[], reason: string | null = null): Entry[] {
    const deleted = { type: "deleted", reason: checkReason(reason) } as const
    return this.#change(ids, ({ deletedAt }) => (deletedAt === null ? deleted : null))
  }

  /** Undoes the deletion; of what was not deleted, that it was invalidated or superseded. */
  restore(ids: readonly string[]): Entry[] {
    return this.#change(ids, () => ({ type: "restored" }), existingEntry)
  }

  /**
   * Takes them out of the log and off the disk: only that there was something remains. False where another process
   * still reads what was, so that some bytes stay: purge them once more when it has finished.
   */
  purge(ids: readonly string[]): boolean {
    this.write((writer) => purgeEntries(writer, ids))
    return this.#store.scrub()
  }

  /** All that happened to it, oldest first, with its form before and after. */
  history(id: string): EntryStep[] {
    return this.#store.consistently(() => entrySteps(this.#store, existingEntry(this.#store, id).id))
  }

  /** What happened to entries from that date or instant on. */
  changesSince(since: string): EntryStep[] {
    return this.#store.consistently(() => changesSince(this.#store, since))
  }

  /** For an index that keeps itself current: cheap to ask before each query. */
  lastSeq(): number {
    return this.#store.events.lastSeq()
  }

  changedSince(seq: number): ChangedSince {
    return changedSince(this.#store, seq)
  }

  /** In order of arrival. */
  events(afterSeq = 0): KnowledgeEvent[] {
    return this.#store.events.after(afterSeq).map(toEvent)
  }

  /** Takes in what happened in other stores; how many were new. */
  appendEvents(events: readonly KnowledgeEvent[]): number {
    return this.write(() => appendEvents(this.#store, events))
  }

  /** Derives all anew from the log, and says what had been otherwise. */
  rebuild(): Rebuilt {
    return this.write(() => rebuild(this.#store))
  }

  /** Whether the file is as SQLite wrote it; reads all of it. */
  isSound(): boolean {
    return this.#store.isSound()
  }

  /** Several reads of one state. */
  consistently<T>(read: () => T): T {
    return this.#store.consistently(read)
  }

  close(): void {
    this.#store.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }

  /** All of what `act` writes, or nothing: for entities and relations, whose rules stand in graph/. */
  write<T>(act: (writer: Writer) => T): T {
    if (this.readonly) throw this.unwritable ?? onlyRead(this.#store.path)
    return this.#store.transaction(() => act(new Writer(this.#store, instant(this.#now()), this.#nextId)))
  }

  #change(...[ids, change, find]: Tail<Parameters<typeof changeEntries>>): Entry[] {
    return this.write((writer) => changeEntries(writer, ids, change, find))
  }

  #report({ entry, outcome, untaken = [] }: Made, { ifNew }: RememberOptions): Remembered {
    const similar = outcome === "existing" ? [] : similarEntries(this.#store, entry)
    if (ifNew && similar.length > 0) throw notNew(similar)
    const besides = untaken.length > 0 ? { untaken } : {}
    return { id: entry.id, topic: entry.topic, outcome, ...besides, similar }
  }
}

function onlyRead(path: string): AmanError {
  const hint = "its folder must be writable, or name another with AMAN_DATA_DIR"
  return new AmanError("IO", `${path} is open for reading only`, { hint })
}

type Tail<T extends readonly unknown[]> = T extends readonly [unknown, ...infer Rest] ? Rest : never
