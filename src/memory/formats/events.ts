/*
 * Events for other stores and from them: which project a subject belongs to, and the events without former texts or with
 * other project ids.
 */

import { entityId, relationId } from "../entities/change-entities.ts"
import type { SubjectStates } from "../log/derive.ts"
import {
  type Change,
  type EntityFields,
  type EntryFields,
  foldOrder,
  type KnowledgeEvent,
  type PlainChange,
} from "../log/event.ts"

/** The current project of each subject; null: all projects. Purged subjects are absent. */
export type Scopes = ReadonlyMap<string, string | null>

/** The current project of each subject, folded from the events. A relation belongs to the project of its first entity. */
export function projectBySubject(events: readonly KnowledgeEvent[]): Scopes {
  const scopes = new Map<string, string | null>()
  const starts = new Map<string, string>()
  for (const { subject, change } of foldOrder(events)) {
    if (change.type === "relation") starts.set(subject, change.from)
    const project = "fields" in change ? change.fields.project : undefined
    // An event that stores an entry without a project is of an entry of all projects.
    if (project !== undefined || change.type === "stored") scopes.set(subject, project ?? null)
  }
  for (const [relation, from] of starts) {
    const scope = scopes.get(from)
    if (scope !== undefined) scopes.set(relation, scope)
  }
  for (const { subject, change } of events) if (change.type === "purged") scopes.delete(subject)
  return scopes
}

/** The events of the chosen subjects and of the relations between them, without texts that later events replaced. */
export function currentEvents(
  events: readonly KnowledgeEvent[],
  states: SubjectStates,
  chosen: ReadonlySet<string>,
): KnowledgeEvent[] {
  const isChosen = (subject: string) => {
    const state = states.get(subject)
    const parts = state?.of === "relation" ? [state.value.from, state.value.to] : [subject]
    return parts.every((part) => chosen.has(part))
  }
  const histories = [...Map.groupBy(foldOrder(events), ({ subject }) => subject)]
  return foldOrder(
    histories.flatMap(([subject, history]) => (isChosen(subject) ? withoutFormerForms(history) : [])),
  )
}

/**
 * The events of one subject, in their order, without texts that later events replaced. Folding them gives the
 * same entry or entity, with the same event ids, but without its previous revisions, so that an export of the
 * current state does not reveal text that was corrected or removed.
 */
export function withoutFormerForms(events: readonly KnowledgeEvent[]): KnowledgeEvent[] {
  const last = lastSetters(events)
  return events.map((event, at) => ({ ...event, change: currentPart(event.change, at, last) }))
}

type Setter = { readonly at: number; readonly value: unknown }

/**
 * Fields with free text, of which only the newest value is exported. Earlier values of all other fields are exported
 * too, because they contain nothing confidential, and some of them depend on the order of events.
 */
const WORDS: ReadonlySet<string> = new Set<keyof EntryFields | keyof EntityFields>([
  ...(["text", "topic", "tags", "key", "source", "author", "session", "entities", "metadata"] as const),
  ...(["description", "aliases", "type"] as const),
])

/** For each field with free text, the index of the last event that set it, and the value. */
function lastSetters(events: readonly KnowledgeEvent[]): ReadonlyMap<string, Setter> {
  const last = new Map<string, Setter>()
  for (const [at, { change }] of events.entries()) {
    const fields =
      change.type === "anchored" ? { source: change.source } : "fields" in change ? change.fields : {}
    for (const [name, value] of Object.entries(fields)) if (WORDS.has(name)) last.set(name, { at, value })
  }
  return last
}

function currentPart(change: Change, at: number, last: ReadonlyMap<string, Setter>): Change {
  const isFormer = (name: string) => WORDS.has(name) && last.get(name)!.at !== at
  switch (change.type) {
    case "stored":
    case "entity": {
      // An event of this type must have all its fields, so a value that was replaced later is not removed but
      // substituted by the last value.
      const fields = Object.entries(change.fields).map(([name, value]) => [
        name,
        isFormer(name) ? last.get(name)!.value : value,
      ])
      return { ...change, fields: Object.fromEntries(fields) } as Change
    }
    case "revised":
    case "entity-revised": {
      const fields = Object.entries(change.fields).filter(([name]) => !isFormer(name))
      return { type: change.type, fields: Object.fromEntries(fields) } as Change
    }
    case "appended":
      return (last.get("text")?.at ?? -1) > at ? { type: "revised", fields: {} } : change
    case "anchored":
      return { ...change, source: last.get("source")!.value as EntryFields["source"] }
    default:
      change.type satisfies PlainChange | "invalidated" | "superseded" | "kept" | "entity-merged" | "relation"
      return change
  }
}

type MovedProject = (project: string | null) => string | null
type MovedId = (entity: string) => string

/**
 * The events with other project ids. An entity's id is derived from its project and name and a relation's from its
 * ends, so these ids change, too.
 */
export function moveProjects(events: readonly KnowledgeEvent[], to: MovedProject): KnowledgeEvent[] {
  const entities = new Map<string, string>()
  const relations = new Map<string, string>()
  const endOf: MovedId = (id) => entities.get(id) ?? id
  for (const { subject, change } of events) {
    if (change.type !== "entity") continue
    const { project, name } = change.fields
    if (entityId(project, name) === subject) entities.set(subject, entityId(to(project), name))
  }
  for (const { subject, change } of events) {
    if (change.type !== "relation") continue
    const { from, to, relation } = change
    if (relationId(from, to, relation) === subject)
      relations.set(subject, relationId(endOf(from), endOf(to), relation))
  }
  return events.map(({ id, at, subject, change }) => ({
    id,
    at,
    subject: entities.get(subject) ?? relations.get(subject) ?? subject,
    change: movedChange(change, to, endOf),
  }))
}

function movedChange(change: Change, to: MovedProject, endOf: MovedId): Change {
  switch (change.type) {
    case "stored":
    case "entity":
      return { ...change, fields: { ...change.fields, project: to(change.fields.project ?? null) } } as Change
    case "revised":
    case "entity-revised":
      return change.fields.project === undefined
        ? change
        : ({ ...change, fields: { ...change.fields, project: to(change.fields.project) } } as Change)
    case "relation":
      return { ...change, from: endOf(change.from), to: endOf(change.to) }
    case "entity-merged":
      return { ...change, into: endOf(change.into) }
    default:
      change.type satisfies PlainChange | "invalidated" | "superseded" | "kept" | "appended" | "anchored"
      return change
  }
}
