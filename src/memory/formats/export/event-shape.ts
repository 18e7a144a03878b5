import { ENTRY_KINDS, ROLES } from "../../entries/entry.ts"
import type { KnowledgeEvent } from "../../log/event.ts"
import { isId } from "../../log/ids.ts"
import { anyObject, type Check, listOf, number, oneOf, orNull, shaped, text } from "./shape.ts"

/** The reason why an event of another store is invalid; null when it is valid. */
export function eventProblem(value: unknown): string | null {
  return (
    EVENT(value, "") ??
    CHANGES[(value as KnowledgeEvent).change.type]!((value as KnowledgeEvent).change, "change")
  )
}

const id: Check = (value, at) => (typeof value === "string" && isId(value) ? null : `${at} is not an id`)

const instant: Check = (value, at) =>
  typeof value === "string" && value.length === 24 && isoOf(value) === value
    ? null
    : `${at} is not an instant`

const when: Check = (value, at) => {
  if (typeof value === "string" && value.length === 10 && isoOf(value)?.slice(0, 10) === value) return null
  return instant(value, at) === null ? null : `${at} is neither a date nor an instant`
}

/** A project id that is short and on one line; its form is decided by the registry of projects. */
const project: Check = (value, at) =>
  typeof value === "string" && /^[\w.:-]{1,80}$/.test(value) ? null : `${at} is not the id of a project`

const source = shaped({
  path: text,
  startLine: orNull(number),
  endLine: orNull(number),
  symbol: orNull(text),
  hash: orNull(text),
  text: orNull(text),
  commit: orNull(text),
  "context?": shaped({ before: listOf(text), after: listOf(text), within: orNull(text) }),
})

const ENTRY_FIELDS: Readonly<Record<string, Check>> = {
  project: orNull(project),
  topic: text,
  kind: oneOf(ENTRY_KINDS),
  text,
  tags: listOf(text),
  key: orNull(text),
  source: orNull(source),
  author: orNull(text),
  role: orNull(oneOf(ROLES)),
  session: orNull(text),
  ordinal: orNull(number),
  entities: listOf(text),
  metadata: anyObject,
  validFrom: orNull(when),
  validUntil: orNull(when),
}

const ENTITY_FIELDS: Readonly<Record<string, Check>> = {
  project: orNull(project),
  name: text,
  type: text,
  description: text,
  aliases: listOf(text),
  metadata: anyObject,
}

const type = text

/** Fields other than the text may be absent, because older versions did not write them; they have defaults. */
const STORED_FIELDS = Object.fromEntries(
  Object.entries(ENTRY_FIELDS).map(([name, check]) => [name === "text" ? name : `${name}?`, check]),
)

const CHANGES: Readonly<Record<string, Check>> = {
  stored: shaped({ type, fields: shaped(STORED_FIELDS) }),
  revised: shaped({ type, fields: shaped(ENTRY_FIELDS, true), "reason?": text }),
  appended: shaped({ type, text }),
  tagged: shaped({ type, add: listOf(text), remove: listOf(text) }),
  anchored: shaped({ type, source: orNull(source) }),
  invalidated: shaped({ type, validUntil: when, reason: orNull(text), successor: orNull(id) }),
  superseded: shaped({ type, by: id, reason: orNull(text) }),
  deleted: shaped({ type, reason: orNull(text) }),
  restored: shaped({ type }),
  purged: shaped({ type }),
  entity: shaped({ type, fields: shaped(ENTITY_FIELDS) }),
  "entity-revised": shaped({ type, fields: shaped(ENTITY_FIELDS, true) }),
  "entity-merged": shaped({ type, into: id }),
  "entity-deleted": shaped({ type }),
  relation: shaped({ type, from: id, to: id, relation: text, weight: number }),
  "relation-deleted": shaped({ type }),
}

const change: Check = (value, at) => {
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
