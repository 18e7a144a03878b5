/*
 * Decides which events of a shared folder may be stored. `checkLines` checks each event once as if it were written
 * here; the returned function then selects the events whose subjects belong to this project, without the given
 * subjects and what depends on them.
 */

import { AmanError, parseJson } from "../../base/index.ts"
import { findCredentialIn } from "../../text/index.ts"
import { entityId, relationId } from "../entities/change-entities.ts"
import { checkFields, withoutPrivate } from "../entries/check-entry.ts"
import { moveProjects, type Scopes } from "../formats/events.ts"
import type { ImportRemark } from "../formats/imported.ts"
import { withoutContext } from "../formats/injected.ts"
import { linesIn } from "../formats/input-lines.ts"
import {
  type Change,
  type EntryFields,
  foldOrder,
  type KnowledgeEvent,
  type PlainChange,
  readEvent,
} from "../log/event.ts"
import { SHARED_LIMITS, type SharedFile } from "./shared-folder.ts"

type AdmissionContext = {
  readonly project: string
  /** The project of each subject in the store. */
  readonly scopes: Scopes
  /** Ids of the events in the store. */
  readonly known: ReadonlySet<string>
  /** ISO instant. */
  readonly now: string
}

/**
 * Decides which events of a shared folder may be stored. Anyone who can commit to the project can write anything into the
 * folder, so an event must concern a subject of this project, refer to no other project, not be dated in the future, and
 * pass the checks for remembered texts. Texts are checked once, not at each call of the result, which returns the events
 * to admit, as stored here with this store's id of the project, except those of the given subjects and events that depend
 * on these; and `ambiguous`: ids of events that occur with different content.
 */
export function admitShared(lines: readonly SharedLine[], admitting: AdmissionContext) {
  const { checked, refused } = checkLines(lines, admitting)
  const ambiguous = ambiguousIds(lines)
  const moved = moveProjects(
    checked.map(({ event }) => event),
    (project) => (project === THIS_PROJECT ? admitting.project : project),
  )
  const inFolder = new Set(moved.map(({ subject }) => subject))
  return (without: ReadonlySet<string> = new Set()) => {
    const own = ownSubjects(
      moved.filter(({ subject }) => !without.has(subject)),
      admitting,
    )
    const foreigners: ImportRemark[] = []
    const events = new Map<string, KnowledgeEvent>()
    for (const [index, event] of moved.entries()) {
      if (admitting.known.has(event.id) || without.has(event.subject)) continue
      const { file, line } = checked[index]!
      const wrong = foreignReason(event, { own, inFolder }, admitting)
      if (wrong === null) events.set(event.id, event)
      else foreigners.push({ file, line, message: wrong })
    }
    return { events: foldOrder([...events.values()]), refused: [...refused, ...foreigners], ambiguous }
  }
}

function checkLines(lines: readonly SharedLine[], { known, now }: AdmissionContext) {
  const refused: ImportRemark[] = []
  const checked: SharedLine[] = []
  for (const line of lines) {
    // Events in the store were checked when they arrived, or are our own; entities are still needed for their
    // ids.
    const event = known.has(line.event.id) ? line.event : cleaned(line.event, now)
    if (typeof event === "string") refused.push({ file: line.file, line: line.line, message: event })
    else checked.push({ ...line, event })
  }
  return { checked, refused }
}

/**
 * Event ids that occur with different content. This can be legitimate, because a store that shares on two branches
 * leaves replaced texts out, so that one event has two forms; or an attacker reused an id. A person decides.
 */
function ambiguousIds(lines: readonly SharedLine[]): ReadonlySet<string> {
  const first = new Map<string, KnowledgeEvent>()
  const ambiguous = new Set<string>()
  for (const { event } of lines) {
    const known = first.get(event.id)
    if (known === undefined) first.set(event.id, event)
    else if (!Bun.deepEquals(known, event)) ambiguous.add(event.id)
  }
  return ambiguous
}

/** The event as it would have been stored if written here; a string gives the reason why it is refused. */
export function cleaned(event: KnowledgeEvent, now: string): KnowledgeEvent | string {
  if (Date.parse(event.at) > Date.parse(now) + DAY_MS) return "is dated in the future"
  try {
    const change = cleanedChange(event.change)
    if (typeof change === "string") return change
    const credential = findCredentialIn(change)
    return credential === null ? { ...event, change } : `looks like ${credential.kind}`
  } catch (error) {
    if (error instanceof AmanError) return error.message
    if (error instanceof RangeError) return "is nested too deeply"
    throw error
  }
}

/** Tolerance for clock differences in a team; an event dated far ahead would override all events until then. */
const DAY_MS = 86_400_000

/**
 * The change with private parts and inserted context removed from all its texts; a string gives the reason
 * why it is refused.
 */
function cleanedChange(given: Change): Change | string {
  const change: Change = JSON.parse(JSON.stringify(given), (_, value) =>
    typeof value === "string" ? withoutPrivate(withoutContext(value)) : value,
  )
  switch (change.type) {
    case "stored":
    case "revised":
      return cleanedEntry(change)
    case "appended":
      return change.text.trim() === "" ? "has no text" : change
    case "anchored":
      return pathProblem(change.source) ?? change
    case "entity":
    case "entity-revised":
      return isElsewhere(change.fields.project) ? "belongs to another project" : change
    default:
      change.type satisfies PlainChange | "invalidated" | "superseded" | "kept" | "entity-merged" | "relation"
      return change
  }
}

function cleanedEntry(change: Extract<Change, { type: "stored" | "revised" }>): Change | string {
  const { project, source = null } = change.fields
  if (isElsewhere(project) || (change.type === "stored" && project === undefined))
    return "belongs to another project"
  return pathProblem(source) ?? { ...change, fields: checkFields(change.fields) as EntryFields }
}

const isElsewhere = (project: string | null | undefined) => project !== undefined && project !== THIS_PROJECT

/** A source is shown with the entry, so its path must not lead out of the project; null when it is acceptable. */
function pathProblem(source: EntryFields["source"]): string | null {
  if (source === null) return null
  const { path } = source
  const isOutside =
    /^(?:[\\/~]|[A-Za-z]:)|\\|\0/.test(path) ||
    path.split("/").some((part) => part === ".." || part === ".git")
  return isOutside ? "has a source outside of the project" : null
}

/** Subjects of the project: those in the store, and new ones whose id is derived correctly or not used yet. */
function ownSubjects(events: readonly KnowledgeEvent[], { project, scopes }: AdmissionContext) {
  const own = new Set([...scopes].filter(([, scope]) => scope === project).map(([subject]) => subject))
  const isFree = (subject: string) => !scopes.has(subject)
  for (const { subject, change } of events) {
    if (!isFree(subject)) continue
    if (change.type === "stored") own.add(subject)
    if (change.type === "entity" && entityId(project, change.fields.name) === subject) own.add(subject)
  }
  for (const { subject, change } of events) {
    if (change.type !== "relation" || !isFree(subject)) continue
    const { from, to, relation } = change
    if (relationId(from, to, relation) === subject && own.has(from) && own.has(to)) own.add(subject)
  }
  return own
}

/** Why an event does not belong to this project; null when it does. */
function foreignReason(
  { subject, change }: KnowledgeEvent,
  { own, inFolder }: { readonly own: ReadonlySet<string>; readonly inFolder: ReadonlySet<string> },
  { scopes, project }: AdmissionContext,
): string | null {
  const scope = scopes.get(subject)
  if (scope !== undefined && scope !== project) return "is about an entry of another project"
  if (change.type === "purged") return null
  if (!own.has(subject)) return "is about an entry that does not exist"
  // The successor may have been deleted before it was shared, so that no other store has it. The superseded entry has
  // ended in any case, so the event is accepted; so is one that says that the entry holds beside an unshared one.
  const isUnshared = (id: string) =>
    MAY_NAME_UNSHARED.has(change.type) && !inFolder.has(id) && !scopes.has(id)
  const named = subjectsNamedIn(change).find((id) => !own.has(id) && !isUnshared(id))
  return named === undefined ? null : `refers to ${named}, which is not in this project`
}

const MAY_NAME_UNSHARED: ReadonlySet<string> = new Set(["superseded", "invalidated", "kept"])

function subjectsNamedIn(change: Change): readonly string[] {
  switch (change.type) {
    case "superseded":
      return [change.by]
    case "kept":
      return change.beside
    case "invalidated":
      return change.successor === null ? [] : [change.successor]
    case "entity-merged":
      return [change.into]
    case "relation":
      return [change.from, change.to]
    default:
      change.type satisfies
        | PlainChange
        | "stored"
        | "revised"
        | "appended"
        | "anchored"
        | "entity"
        | "entity-revised"
      return []
  }
}

/** Placeholder for the project's id in shared files, because each store has its own id for the project. */
export const THIS_PROJECT = "."

export type SharedLine = { readonly file: string; readonly line: number; readonly event: KnowledgeEvent }

/** The events of the files. Lines that are no event, such as conflict markers of a merge, give a remark instead. */
export function readSharedLines(files: readonly SharedFile[]) {
  const lines: SharedLine[] = []
  const remarks: ImportRemark[] = []
  for (const { name, text } of files) {
    for (const { number, text: line } of linesIn(text)) {
      const read = line.length > SHARED_LIMITS.lineChars ? "is too long" : readEvent(parseJson(line))
      if (typeof read === "string") remarks.push({ file: name, line: number, message: read })
      else lines.push({ file: name, line: number, event: read })
    }
  }
  return { lines, remarks }
}
