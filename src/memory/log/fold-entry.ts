import type { Entry } from "../entries/entry.ts"
import { normaliseTags } from "../entries/tags.ts"
import type { EntryFields, KnowledgeEvent } from "./event.ts"

/**
 * An entry's state after its events, which must be in the order of (at, id); null when it was purged or when
 * the event that stored it has not arrived. Events of unknown types, written by a newer aman, change nothing.
 */
export function foldEntry(id: string, events: readonly KnowledgeEvent[]): Entry | null {
  if (events.some((event) => event.change.type === "purged")) return null
  return entryForms(id, events).at(-1)?.entry ?? null
}

/** Each event with the entry's state after it. */
export function entryForms(
  id: string,
  events: readonly KnowledgeEvent[],
): { event: KnowledgeEvent; entry: Entry | null }[] {
  let state: EntryState | null = null
  return events.map((event) => {
    state = step(state, id, event)
    return { event, entry: state?.entry ?? null }
  })
}

/**
 * Defaults of fields that are absent: in a new entry, in an event written by hand, or in an event of an earlier version
 * of aman.
 */
export const DEFAULTS: Omit<EntryFields, "text"> = {
  ...{ project: null, topic: "general", kind: "semantic", tags: [], key: null, source: null },
  ...{ author: null, role: null, session: null, ordinal: null, entities: [], metadata: {} },
  ...{ validFrom: null, validUntil: null },
}

type EntryState = {
  readonly entry: Entry
  /** Value of `validUntil` before the entry was invalidated, for undoing that. */
  readonly declaredUntil: string | null
}

function step(state: EntryState | null, id: string, { at, change }: KnowledgeEvent): EntryState | null {
  if (change.type === "purged") return null
  if (change.type === "stored")
    return state === null ? initialState(id, at, change.fields) : revised(state, at, change.fields)
  if (state === null) return null
  const { entry } = state
  switch (change.type) {
    case "revised":
      return revised(state, at, change.fields)
    case "appended":
      return revised(state, at, { text: appendText(entry.text, change.text) })
    case "tagged":
      return { ...state, entry: { ...entry, tags: retagged(entry.tags, change) } }
    case "anchored":
      return { ...state, entry: { ...entry, source: change.source } }
    case "invalidated": {
      const { validUntil, reason: invalidReason, successor } = change
      return { ...state, entry: { ...succeeded(entry, successor, at), validUntil, invalidReason } }
    }
    case "superseded":
      return { ...state, entry: succeeded(entry, change.by, at) }
    case "kept":
      return {
        ...state,
        entry: { ...entry, beside: [...new Set([...(entry.beside ?? []), ...change.beside])] },
      }
    case "deleted":
      return { ...state, entry: { ...entry, deletedAt: at } }
    case "restored":
      return { ...state, entry: restored(state) }
    default:
      change.type satisfies
        | "entity"
        | "entity-revised"
        | "entity-merged"
        | "entity-deleted"
        | "relation"
        | "relation-deleted"
      return state
  }
}

function initialState(id: string, at: string, fields: EntryFields): EntryState {
  const entry: Entry = {
    ...{ ...DEFAULTS, ...fields, id, recordedAt: at, revisedAt: at, supersededAt: null, supersededBy: null },
    ...{ invalidReason: null, deletedAt: null, revision: 1 },
  }
  return { entry, declaredUntil: entry.validUntil }
}

function revised(state: EntryState, at: string, fields: Partial<EntryFields>): EntryState {
  const { revision, invalidReason } = state.entry
  const entry = {
    ...state.entry,
    ...fields,
    revisedAt: at,
    revision: revision + 1,
    // The previous reason is removed, because it explained the previous end of validity.
    invalidReason: fields.validUntil === undefined ? invalidReason : null,
  }
  return { entry, declaredUntil: fields.validUntil === undefined ? state.declaredUntil : fields.validUntil }
}

function appendText(text: string, more: string): string {
  return text === "" || text.endsWith("\n") ? text + more : `${text}\n${more}`
}

function retagged(
  tags: readonly string[],
  { add, remove }: { readonly add: readonly string[]; readonly remove: readonly string[] },
): string[] {
  const gone = new Set(normaliseTags(remove))
  return normaliseTags([...tags.filter((tag) => !gone.has(tag)), ...add])
}

function succeeded(entry: Entry, successor: string | null, at: string): Entry {
  if (successor === null || successor === entry.id) return entry
  return { ...entry, supersededAt: at, supersededBy: successor }
}

/** The entry without its deletion; if it is not deleted, without its invalidation and supersession. */
function restored({ entry, declaredUntil }: EntryState): Entry {
  if (entry.deletedAt !== null) return { ...entry, deletedAt: null }
  return { ...entry, supersededAt: null, supersededBy: null, invalidReason: null, validUntil: declaredUntil }
}
