import { AmanError } from "../base/errors.ts"
import type { EntryIndexTable } from "../store/knowledge/entry-index.ts"
import type { KnowledgeStore } from "../store/knowledge/knowledge-store.ts"
import { openKnowledgeStore } from "../store/knowledge/open.ts"
import type { ProjectsTable } from "../store/knowledge/projects.ts"
import { appendEvents } from "./append-events.ts"
import { type ChangedSince, changedSince } from "./changed-since.ts"
import { checkEntry, checkFields } from "./check-entry.ts"
import type { Entry } from "./entry.ts"
import { type EntryFilter, matches } from "./entry-filter.ts"
import { toEntry } from "./entry-rows.ts"
import type { Change, EntryFields, KnowledgeEvent } from "./event.ts"
import { toEvent } from "./event-rows.ts"
import { existingEntry, undeletedEntry } from "./find-entry.ts"
import { entryForms } from "./fold-entry.ts"
import { createIds } from "./ids.ts"
import type { NewEntry, Remembered, RememberOptions } from "./new-entry.ts"
import { type Rebuilt, rebuild } from "./rebuild.ts"
import { remember, supersede } from "./remember.ts"
import { notNew, similarEntries } from "./similar.ts"
import { normaliseTags } from "./tags.ts"
import { instant, parseTime } from "./times.ts"
import { writeEntities } from "./write-graph.ts"
import { Writer } from "./writer.ts"

export type KnowledgeOptions = {
  /** Of knowledge.db; ":memory:" for a passing one. */
  readonly path: string
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Nothing can be written; where there is no file, nothing is known. */
  readonly readonly?: boolean
}

export type Page = { readonly limit?: number; readonly offset?: number }

/** One form that an entry has had, and what brought it about. */
export type Form = { readonly event: KnowledgeEvent; readonly entry: Entry | null }

/** What a person and their agents know: entries, how they came about, and what is still true of them. */
export class Knowledge {
  /** Which projects there are; rows beside the log. */
  readonly projects: ProjectsTable
  /** What was computed of entries. */
  readonly index: EntryIndexTable
  readonly #store: KnowledgeStore
  readonly #now: () => number
  readonly #nextId: () => string

  constructor({ path, now, readonly = false }: KnowledgeOptions) {
    this.#store = openKnowledgeStore(path, { readonly })
    this.#now = now
    this.#nextId = createIds(now)
    this.projects = this.#store.projects
    this.index = this.#store.index
  }

  get readonly(): boolean {
    return this.#store.readonly
  }

  /** Stores them all, in their order, or none. */
  remember(inputs: readonly NewEntry[], options: RememberOptions = {}): Remembered[] {
    const checked = inputs.map((input, i) => checkEntry(input, inputs.length > 1 ? i + 1 : undefined))
    return this.write((writer) =>
      checked.map((entry, i) => {
        const { entry: made, outcome } = remember(writer, entry, inputs[i]!)
        const similar = outcome === "existing" ? [] : similarEntries(this.#store, made)
        if (options.ifNew && similar.length > 0) throw notNew(similar)
        return { id: made.id, topic: made.topic, outcome, similar }
      }),
    )
  }

  /** In their order; NOT_FOUND where one is unknown. Deleted ones are found and marked. */
  get(ids: readonly string[]): Entry[] {
    return this.#store.consistently(() => ids.map((id) => existingEntry(this.#store, id)))
  }

  /** Oldest first. */
  list(
    filter: EntryFilter = {},
    { limit = Number.POSITIVE_INFINITY, offset = 0 }: Page = {},
  ): {
    entries: Entry[]
    total: number
  } {
    const found = this.#store.entries
      .all()
      .map(toEntry)
      .filter((entry) => matches(entry, filter, instant(this.#now())))
    return { entries: found.slice(offset, offset + limit), total: found.length }
  }

  revise(id: string, fields: Partial<EntryFields>, options: { reason?: string } = {}): Entry {
    const checked = checkFields(fields)
    return this.write((writer) => {
      const entry = this.#change(id, () => ({ type: "revised", fields: checked, ...options }))
      writeEntities(writer, entry.project, checked.entities ?? [])
      return entry
    })
  }

  append(id: string, text: string): Entry {
    const checked = checkFields({ text }).text!
    return this.#change(id, () => ({ type: "appended", text: checked }))
  }

  tag(
    ids: readonly string[],
    { add = [], remove = [] }: Partial<Record<"add" | "remove", readonly string[]>>,
  ): Entry[] {
    const change = { type: "tagged", add: normaliseTags(add), remove: normaliseTags(remove) } as const
    return this.#changeAll(ids, () => change)
  }

  /** Its lines are elsewhere now, or were looked at and confirmed. */
  anchor(id: string, source: Entry["source"]): Entry {
    return this.#change(id, () => ({ type: "anchored", source }))
  }

  /** It no longer holds, from `validUntil` on or from now. */
  invalidate(
    id: string,
    {
      validUntil,
      reason = null,
      successor = null,
    }: { validUntil?: string; reason?: string | null; successor?: string | null },
  ): Entry {
    const until = validUntil === undefined ? instant(this.#now()) : parseTime(validUntil, "valid_until")
    return this.write((writer) => {
      const next = successor === null ? null : undeletedEntry(this.#store, successor).id
      const old = undeletedEntry(this.#store, id).id
      writer.write(old, { type: "invalidated", validUntil: until, reason, successor: next })
      return existingEntry(this.#store, old)
    })
  }

  /** The old one gives way to the new. */
  supersede(old: string, by: string, reason: string | null = null): Entry {
    return this.write((writer) => {
      const { id } = undeletedEntry(this.#store, old)
      supersede(writer, id, undeletedEntry(this.#store, by), reason)
      return existingEntry(this.#store, id)
    })
  }

  /** A tombstone: out of every answer but its history. */
  delete(ids: readonly string[], reason: string | null = null): Entry[] {
    return this.#changeAll(ids, ({ deletedAt }) => (deletedAt === null ? { type: "deleted", reason } : null))
  }

  /** Undoes the deletion; of what was not deleted, that it was invalidated or superseded. */
  restore(ids: readonly string[]): Entry[] {
    return this.#changeAll(ids, () => ({ type: "restored" }), existingEntry)
  }

  /** Every form it has had, oldest first. */
  history(id: string): Form[] {
    return this.#store.consistently(() => {
      const entry = existingEntry(this.#store, id)
      return entryForms(entry.id, this.#store.events.ofSubject(entry.id).map(toEvent))
    })
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
    return this.#store.transaction(() => appendEvents(this.#store, events))
  }

  /** Derives all anew from the log, and says what had been otherwise. */
  rebuild(): Rebuilt {
    return this.#store.transaction(() => rebuild(this.#store))
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

  #change(id: string, change: () => Change): Entry {
    return this.#changeAll([id], change)[0]!
  }

  /** Of all or none; an entry for which there is nothing to do stays as it is. */
  #changeAll(
    ids: readonly string[],
    change: (entry: Entry) => Change | null,
    find: (store: KnowledgeStore, id: string) => Entry = undeletedEntry,
  ): Entry[] {
    return this.write((writer) =>
      ids.map((id) => {
        const entry = find(this.#store, id)
        const wanted = change(entry)
        if (wanted !== null) writer.write(entry.id, wanted)
        return existingEntry(this.#store, entry.id)
      }),
    )
  }

  /** All of what `act` writes, or nothing: for entities and relations, whose rules stand in graph/. */
  write<T>(act: (writer: Writer) => T): T {
    if (this.readonly)
      throw new AmanError("IO", `${this.#store.path} is open for reading only`, {
        hint: "its folder must be writable, or name another with AMAN_DATA_DIR",
      })
    return this.#store.transaction(() => act(new Writer(this.#store, instant(this.#now()), this.#nextId)))
  }
}
