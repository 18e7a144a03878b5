import { ENTRY_KINDS, ROLES } from "../../entries/entry.ts"
import type { KnowledgeEvent } from "../../log/event.ts"
import { isId } from "../../log/ids.ts"
import { anyObject, isListOf, isNullOr, isOneOf, number, type ShapeCheck, shaped, text } from "./shape.ts"

/** The reason why an event of another store is invalid; null when it is valid. */
export function eventProblem(value: unknown): string | null {
  return (
    EVENT(value, "") ??
    CHANGES[(value as KnowledgeEvent).change.type]!((value as KnowledgeEvent).change, "change")
  )
}

const id: ShapeCheck = (value, at) => (typeof value === "string" && isId(value) ? null : `${at} is not an id`)

const instant: ShapeCheck = (value, at) =>
  typeof value === "string" && value.length === 24 && isoOf(value) === value
    ? null
    : `${at} is not an instant`

const when: ShapeCheck = (value, at) => {
  if (typeof value === "string" && value.length === 10 && isoOf(value)?.slice(0, 10) === value) return null
  return instant(value, at) === null ? null : `${at} is neither a date nor an instant`
}

/** A project id that is short and on one line; its form is decided by the registry of projects. */
const project: ShapeCheck = (value, at) =>
  typeof value === "string" && /^[\w.:-]{1,80}$/.test(value) ? null : `${at} is not the id of a project`

const source = shaped({
  path: text,
  startLine: isNullOr(number),
  endLine: isNullOr(number),
  symbol: isNullOr(text),
  hash: isNullOr(text),
  text: isNullOr(text),
  commit: isNullOr(text),
  "context?": shaped({ before: isListOf(text), after: isListOf(text), within: isNullOr(text) }),
})

const ENTRY_FIELDS: Readonly<Record<string, ShapeCheck>> = {
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

const ENTITY_FIELDS: Readonly<Record<string, ShapeCheck>> = {
  project: isNullOr(project),
  name: text,
  type: text,
  description: text,
  aliases: isListOf(text),
  metadata: anyObject,
}

const type = text

/** Fields other than the text may be absent, because older versions did not write them; they have defaults. */
const STORED_FIELDS = Object.fromEntries(
  Object.entries(ENTRY_FIELDS).map(([name, check]) => [name === "text" ? name : `${name}?`, check]),
)

const CHANGES: Readonly<Record<string, ShapeCheck>> = {
  stored: shaped({ type, fields: shaped(STORED_FIELDS) }),
  revised: shaped({ type, fields: shaped(ENTRY_FIELDS, true), "reason?": text }),
  appended: shaped({ type, text }),
  tagged: shaped({ type, add: isListOf(text), remove: isListOf(text) }),
  anchored: shaped({ type, source: isNullOr(source) }),
  invalidated: shaped({ type, validUntil: when, reason: isNullOr(text), successor: isNullOr(id) }),
  superseded: shaped({ type, by: id, reason: isNullOr(text) }),
  deleted: shaped({ type, reason: isNullOr(text) }),
  restored: shaped({ type }),
  purged: shaped({ type }),
  entity: shaped({ type, fields: shaped(ENTITY_FIELDS) }),
  "entity-revised": shaped({ type, fields: shaped(ENTITY_FIELDS, true) }),
  "entity-merged": shaped({ type, into: id }),
  "entity-deleted": shaped({ type }),
  relation: shaped({ type, from: id, to: id, relation: text, weight: number }),
  "relation-deleted": shaped({ type }),
}

const change: ShapeCheck = (value, at) => {
  const wrong = anyObject(value, at)
  if (wrong !== null) return wrong
  const given = (value as { type?: unknown }).type
  return typeof given === "string" && Object.hasOwn(CHANGES, given)
    ? null
    : `${at} has the unknown type ${JSON.stringify(given)}`
}

const EVENT = shaped({ id, at: instant, subject: id, change })

function isoOf(time: string): string | null {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}
