import { compareTexts } from "../../base/index.ts"
import type { EventRow } from "../../store/index.ts"
import type { Entry, Json } from "../entries/entry.ts"

/**
 * An event of the log; immutable. An entry, entity or relation is the fold of its own events in the order of
 * (at, id): the same in every store that holds the same events, whatever the order in which they arrived.
 */
export type KnowledgeEvent = {
  /** 20 characters, unique across all stores, so that an event that arrives twice is recognised. */
  readonly id: string
  /** ISO instant. For an imported entry: when it was said. */
  readonly at: string
  readonly subject: string
  readonly change: Change
}

export type Change = EntryChange | EntityChange | RelationChange

/** Types of changes without texts, places, projects and ids of other subjects. */
export type PlainChange = "tagged" | "deleted" | "restored" | "purged" | "entity-deleted" | "relation-deleted"

/** Fields that a revision may change. */
export type EntryFields = Pick<
  Entry,
  | "project" | "topic" | "kind" | "text" | "tags" | "key" | "source" | "author" | "role" | "session"
  | "ordinal" | "entities" | "metadata" | "validFrom" | "validUntil" | "zone"
> // biome-ignore format: a list of names

type EntryChange =
  | { readonly type: "stored"; readonly fields: EntryFields }
  | { readonly type: "revised"; readonly fields: Partial<EntryFields>; readonly reason?: string }
  | { readonly type: "appended"; readonly text: string }
  | { readonly type: "tagged"; readonly add: readonly string[]; readonly remove: readonly string[] }
  /** The source lines have moved, or were checked and confirmed. */
  | { readonly type: "anchored"; readonly source: Entry["source"] }
  | {
      readonly type: "invalidated"
      /** Time at which the entry ceased to be valid. */
      readonly validUntil: string
      readonly reason: string | null
      readonly successor: string | null
    }
  | { readonly type: "superseded"; readonly by: string; readonly reason: string | null }
  | { readonly type: "deleted"; readonly reason: string | null }
  | { readonly type: "restored" }
  /** All earlier events of the entry have been removed from the disk. */
  | { readonly type: "purged" }

export type EntityFields = {
  readonly project: string | null
  readonly name: string
  readonly type: string
  readonly description: string
  readonly aliases: readonly string[]
  readonly metadata: { readonly [key: string]: Json }
}

export type EntityChange =
  | { readonly type: "entity"; readonly fields: EntityFields }
  | { readonly type: "entity-revised"; readonly fields: Partial<EntityFields> }
  /** Names, links and relations of this entity belong to entity `into` from now on. */
  | { readonly type: "entity-merged"; readonly into: string }
  | { readonly type: "entity-deleted" }

export type RelationChange =
  | {
      readonly type: "relation"
      readonly from: string
      readonly to: string
      readonly relation: string
      /** 0 to 1. */
      readonly weight: number
    }
  | { readonly type: "relation-deleted" }

export function toEvent({ id, at, subject, body }: EventRow): KnowledgeEvent {
  return { id, at, subject, change: JSON.parse(body) }
}

export function toRow({ id, at, subject, change }: KnowledgeEvent): Omit<EventRow, "seq"> {
  return { id, at, subject, type: change.type, body: JSON.stringify(change) }
}

/** The event as a line of an export and of a shared folder. */
export function eventLine({ id, at, subject, change }: KnowledgeEvent): string {
  return JSON.stringify({ id, at, subject, change })
}

/** The events in the order in which they are folded, which does not depend on the order of arrival. */
export function foldOrder(events: readonly KnowledgeEvent[]): KnowledgeEvent[] {
  return [...events].sort((a, b) => compareTexts(a.at, b.at) || compareTexts(a.id, b.id))
}
