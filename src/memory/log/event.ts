import { compareTexts } from "../../base/index.ts"
import type { EventRow } from "../../store/index.ts"
import { ENTRY_KINDS, type Entry, ROLES } from "../entries/entry.ts"
import { isId } from "./ids.ts"
import {
  anyObject,
  type Checked,
  isListOf,
  isNullOr,
  isOneOf,
  number,
  type ShapeCheck,
  shaped,
  text,
} from "./shapes.ts"

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

/** Fields that a revision may change. */
export type EntryFields = Pick<
  Entry,
  | "project" | "topic" | "kind" | "text" | "tags" | "key" | "source" | "author" | "role" | "session"
  | "ordinal" | "entities" | "metadata" | "validFrom" | "validUntil" | "zone"
> // biome-ignore format: a list of names

const id: ShapeCheck<string> = (value, at) =>
  typeof value === "string" && isId(value) ? null : `${at} is not an id`

const instant: ShapeCheck<string> = (value, at) =>
  typeof value === "string" && value.length === 24 && isoOf(value) === value
    ? null
    : `${at} is not an instant`

const when: ShapeCheck<string> = (value, at) => {
  if (typeof value === "string" && value.length === 10 && isoOf(value)?.slice(0, 10) === value) return null
  return instant(value, at) === null ? null : `${at} is neither a date nor an instant`
}

/** A project id that is short and on one line; its form is decided by the registry of projects. */
const project: ShapeCheck<string> = (value, at) =>
  typeof value === "string" && /^[\w.:-]{1,80}$/.test(value) ? null : `${at} is not the id of a project`

const zone: ShapeCheck<string> = (value, at) =>
  typeof value === "string" && /^[+-]\d\d:\d\d$/.test(value) ? null : `${at} is no offset from UTC`

const PLACE = {
  path: text,
  startLine: isNullOr(number),
  endLine: isNullOr(number),
  symbol: isNullOr(text),
  hash: isNullOr(text),
  text: isNullOr(text),
  commit: isNullOr(text),
}
const context = shaped({ before: isListOf(text), after: isListOf(text), within: isNullOr(text) })
const source = shaped({ ...PLACE, context }, Object.keys(PLACE) as (keyof typeof PLACE)[])

const ENTRY_FIELDS = {
  project: isNullOr(project),
  topic: text,
  kind: isOneOf(ENTRY_KINDS),
  text,
  tags: isListOf(text),
  key: isNullOr(text),
  source: isNullOr(source),
  author: isNullOr(text),
  role: isNullOr(isOneOf(ROLES)),
  session: isNullOr(text),
  ordinal: isNullOr(number),
  entities: isListOf(text),
  metadata: anyObject,
  validFrom: isNullOr(when),
  validUntil: isNullOr(when),
}

const ENTITY_FIELDS = {
  project: isNullOr(project),
  name: text,
  type: text,
  description: text,
  aliases: isListOf(text),
  metadata: anyObject,
}

/** The fields that each type of change has beside its type. */
const CHANGES = {
  // Other fields than the text may be absent, because older versions did not write them; they have defaults.
  stored: shaped({ fields: shaped({ ...ENTRY_FIELDS, zone }, ["text"]) as ShapeCheck<EntryFields> }),
  revised: shaped({ fields: shaped(ENTRY_FIELDS, []), reason: text }, ["fields"]),
  appended: shaped({ text }),
  tagged: shaped({ add: isListOf(text), remove: isListOf(text) }),
  // The source lines have moved, or were checked and confirmed.
  anchored: shaped({ source: isNullOr(source) }),
  // `validUntil`: time at which the entry ceased to be valid.
  invalidated: shaped({ validUntil: when, reason: isNullOr(text), successor: isNullOr(id) }),
  superseded: shaped({ by: id, reason: isNullOr(text) }),
  // The entry and those of these ids hold beside each other, though they look like an update.
  kept: shaped({ beside: isListOf(id) }),
  deleted: shaped({ reason: isNullOr(text) }),
  restored: shaped({}),
  // All earlier events of the entry have been removed from the disk.
  purged: shaped({}),
  entity: shaped({ fields: shaped(ENTITY_FIELDS) }),
  "entity-revised": shaped({ fields: shaped(ENTITY_FIELDS, []) }),
  // Names, links and relations of this entity belong to entity `into` from now on.
  "entity-merged": shaped({ into: id }),
  "entity-deleted": shaped({}),
  // `weight`: 0 to 1.
  relation: shaped({ from: id, to: id, relation: text, weight: number }),
  "relation-deleted": shaped({}),
}

type ChangeType = keyof typeof CHANGES

export type Change = {
  [Type in ChangeType]: { readonly type: Type } & Checked<(typeof CHANGES)[Type]>
}[ChangeType]

export type EntityFields = Checked<(typeof CHANGES)["entity"]>["fields"]

/** Types of changes without texts, places, projects and ids of other subjects. */
export type PlainChange = "tagged" | "deleted" | "restored" | "purged" | "entity-deleted" | "relation-deleted"

/** The event that a JSON value of another store is; a string says why it is none. */
export function readEvent(value: unknown): KnowledgeEvent | string {
  if (value === undefined) return "is not JSON"
  const wrong = EVENT(value, "")
  if (wrong !== null) return wrong
  const { type, ...fields } = (value as KnowledgeEvent).change
  if (!Object.hasOwn(CHANGES, type)) return `change has the unknown type ${JSON.stringify(type)}`
  return CHANGES[type](fields, "change") ?? (value as KnowledgeEvent)
}

const EVENT = shaped({ id, at: instant, subject: id, change: anyObject })

function isoOf(time: string): string | null {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}

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
