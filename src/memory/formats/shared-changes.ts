/*
 * Computes the effect of events of a shared folder for review. For each subject the states with and without the new
 * events are folded and compared: fields that change, entries that end or come back, keys that would be taken, and
 * harm to what was written on this machine.
 */

import type { Entry } from "../entries/entry.ts"
import { comparable } from "../entries/labels.ts"
import { foldSubjects, type SubjectState, type SubjectStates } from "../log/derive.ts"
import type { KnowledgeEvent } from "../log/event.ts"

/** The effect that events of a shared folder would have on one entry, entity or relation, for review by a person. */
export type SharedChange = {
  readonly subject: string
  readonly of: "entry" | "entity" | "relation"
  /** "history": the current state stays the same, only the history changes. */
  readonly what: "new" | "changed" | "ended" | "deleted" | "restored" | "merged" | "history"
  /** Text of the entry, name of the entity, or the relation, after the change. */
  readonly text: string
  readonly topic: string | null
  /** The author that the events name; null when they name none. */
  readonly author: string | null
  /** True when the events name the user of this machine as author although they were not written here. */
  readonly isClaimed: boolean
  /** True when some events of the subject were written on this machine. */
  readonly isYours: boolean
  /** True when several lines of the folder have the same event id but different content; the last line counts. */
  readonly isAmbiguous: boolean
  /** The fields that would change. */
  readonly differences: readonly FieldDifference[]
  /** The entry that would lose its key to the changed entry; null when there is none. */
  readonly takesKey:
    | (Readonly<Record<"key" | "from" | "text", string>> & { readonly isYours: boolean })
    | null
  readonly events: number
}

type FieldDifference = { readonly field: string; readonly before: unknown; readonly after: unknown }

/**
 * Events of the project in this store, the ids of those that were received from the shared folder, and the names of the
 * user of this machine.
 */
export type LocalHistory = {
  readonly events: readonly KnowledgeEvent[]
  readonly received: ReadonlySet<string>
  readonly users: readonly string[]
}

/** One change for each subject of these events, computed by folding them together with the store's events. */
export function sharedChanges(
  local: LocalHistory,
  events: readonly KnowledgeEvent[],
  ambiguous: ReadonlySet<string>,
): SharedChange[] {
  if (events.length === 0) return []
  const { before, after } = statesBeforeAndAfter(local.events, events)
  const own = writtenHere(local)
  const users = new Set(local.users.map(comparable))
  return [...Map.groupBy(events, ({ subject }) => subject)].map(([subject, history]) => {
    const authors = history.flatMap(({ change }) =>
      (change.type === "stored" || change.type === "revised") && change.fields.author
        ? [change.fields.author]
        : [],
    )
    const [was, is] = [before.get(subject), after.get(subject)]
    const known = is ?? was
    return {
      subject,
      of: known?.of ?? "entry",
      what: whatHappens(was, is),
      text: known === undefined ? "" : subjectText(known, after),
      topic: known?.of === "entry" ? known.value.topic : null,
      author: authors.at(-1) ?? (known?.of === "entry" ? known.value.author : null),
      isClaimed: authors.some((author) => users.has(comparable(author))),
      isYours: own.has(subject),
      isAmbiguous: history.some(({ id }) => ambiguous.has(id)),
      differences: differencesOf(was, is),
      takesKey: is === undefined ? null : keyTaken(is, before, after, own),
      events: history.length,
    }
  })
}

/** Subjects with events written on this machine; automatic updates of source lines do not count. */
function writtenHere({ events, received }: LocalHistory): ReadonlySet<string> {
  const own = events.filter(({ id, change }) => !received.has(id) && change.type !== "anchored")
  return new Set(own.map(({ subject }) => subject))
}

/** State of the events' subjects, and of entries with the same key, without these events and with them. */
function statesBeforeAndAfter(local: readonly KnowledgeEvent[], events: readonly KnowledgeEvent[]) {
  const subjects = new Set(events.map(({ subject }) => subject))
  const keys = new Set(
    [...events, ...local.filter(({ subject }) => subjects.has(subject))].flatMap((event) => keyIn(event)),
  )
  for (const event of local) if (keyIn(event).some((key) => keys.has(key))) subjects.add(event.subject)
  // Included because a relation is shown with the names of its ends.
  for (const { change } of events) if (change.type === "relation") subjects.add(change.from).add(change.to)
  const near = local.filter(({ subject }) => subjects.has(subject))
  return { before: foldSubjects(near), after: foldSubjects([...near, ...events]) }
}

function keyIn({ change }: KnowledgeEvent): string[] {
  const isEntry = change.type === "stored" || change.type === "revised"
  return isEntry && change.fields.key ? [change.fields.key] : []
}

function whatHappens(was: SubjectState | undefined, is: SubjectState | undefined): SharedChange["what"] {
  if (is === undefined) return "history"
  if (was === undefined) return "new"
  const [before, after] = [was.value.deletedAt !== null, is.value.deletedAt !== null]
  if (before !== after) return after ? "deleted" : "restored"
  if (was.of === "entity" && is.of === "entity" && was.value.mergedInto !== is.value.mergedInto)
    return "merged"
  const ending = was.of === "entry" && is.of === "entry" ? validityChange(was.value, is.value) : null
  return ending ?? (differencesOf(was, is).length > 0 ? "changed" : "history")
}

/**
 * "ended" when the change ends the entry's validity, "restored" when it makes the entry valid again; otherwise null.
 */
function validityChange(was: Entry, is: Entry): "ended" | "restored" | null {
  const isSuperseded = is.supersededBy !== null && is.supersededBy !== was.supersededBy
  const hasEnd = is.validUntil !== null && is.validUntil !== was.validUntil
  if (isSuperseded || hasEnd) return "ended"
  const ended = ({ supersededBy, invalidReason }: Entry) => supersededBy !== null || invalidReason !== null
  return ended(was) && !ended(is) ? "restored" : null
}

const COMPARED_FIELDS: Readonly<Record<SubjectState["of"], readonly string[]>> = {
  entry: [
    ...["text", "topic", "kind", "tags", "key", "source", "author", "role", "session", "entities"],
    ...["metadata", "validFrom", "validUntil", "invalidReason", "supersededBy"],
  ],
  entity: ["name", "type", "description", "aliases", "metadata", "mergedInto"],
  relation: ["weight"],
}

function differencesOf(was: SubjectState | undefined, is: SubjectState | undefined): FieldDifference[] {
  if (was === undefined || is === undefined || was.of !== is.of) return []
  const [before, after] = [was.value, is.value] as unknown as Record<string, unknown>[]
  return COMPARED_FIELDS[was.of]
    .filter((field) => !Bun.deepEquals(before![field], after![field]))
    .map((field) => ({ field, before: before![field], after: after![field] }))
}

function keyTaken(is: SubjectState, before: SubjectStates, after: SubjectStates, own: ReadonlySet<string>) {
  if (is.of !== "entry" || is.value.key === null) return null
  for (const [id, was] of before) {
    const now = after.get(id)
    if (was.of !== "entry" || now?.of !== "entry" || id === is.value.id) continue
    const isLost = was.value.supersededBy !== is.value.id && now.value.supersededBy === is.value.id
    if (isLost && was.value.key === is.value.key)
      return { key: is.value.key, from: id, text: was.value.text, isYours: own.has(id) }
  }
  return null
}

function subjectText(form: SubjectState, after: SubjectStates): string {
  if (form.of === "entry") return form.value.text
  if (form.of === "entity") return form.value.name
  const name = (id: string) => {
    const end = after.get(id)
    return end?.of === "entity" ? end.value.name : id
  }
  return `${name(form.value.from)} ${form.value.relation} ${name(form.value.to)}`
}
