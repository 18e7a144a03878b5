import { AmanError } from "../../base/errors.ts"
import { checkFields } from "../check-entry.ts"
import { findCredential } from "../credentials.ts"
import type { Change, EntryFields, KnowledgeEvent } from "../event.ts"
import { withoutPrivate } from "../private-text.ts"
import { entityId, relationId } from "../write-graph.ts"
import type { Remark } from "./imported.ts"
import { withoutContext } from "./injected.ts"
import { moveProjects } from "./move-projects.ts"
import { inOrder, type Scopes } from "./scopes.ts"
import { type SharedLine, THIS_PROJECT } from "./shared-lines.ts"

export type Admission = {
  /** As they are stored here: with the id that the project has here. */
  readonly events: readonly KnowledgeEvent[]
  readonly refused: readonly Remark[]
}

export type Admitting = {
  readonly project: string
  /** Of what is in the store. */
  readonly scopes: Scopes
  /** Ids of the events that are in the store. */
  readonly known: ReadonlySet<string>
  /** ISO instant. */
  readonly now: string
}

/**
 * Which of a shared folder's events may come in. The folder comes with the project, and whoever can commit to that can
 * write anything into it, so an event has to be of this project, of a thing of this project, name nothing else, not be
 * of the future, and pass what a text must pass that is remembered.
 */
export function admitShared(lines: readonly SharedLine[], admitting: Admitting): Admission {
  const refused: Remark[] = []
  const checked: SharedLine[] = []
  for (const line of lines) {
    // What is here was looked at when it came, or is our own; entities among it are still needed for their ids.
    const event = admitting.known.has(line.event.id) ? line.event : cleaned(line.event, admitting.now)
    if (typeof event === "string") refused.push({ file: line.file, line: line.line, message: event })
    else checked.push({ ...line, event })
  }
  const moved = moveProjects(
    checked.map(({ event }) => event),
    (project) => (project === THIS_PROJECT ? admitting.project : project),
  )
  const own = ownSubjects(moved, admitting)
  const events = new Map<string, KnowledgeEvent>()
  for (const [index, event] of moved.entries()) {
    if (admitting.known.has(event.id)) continue
    const { file, line } = checked[index]!
    const wrong = foreign(event, own, admitting)
    if (wrong === null) events.set(event.id, event)
    else refused.push({ file, line, message: wrong })
  }
  return { events: inOrder([...events.values()]), refused }
}

/** As it would have been remembered here; a text: why it is not. */
function cleaned(event: KnowledgeEvent, now: string): KnowledgeEvent | string {
  if (Date.parse(event.at) > Date.parse(now) + DAY_MS) return "is of the future"
  try {
    const change = cleanedChange(event.change)
    if (typeof change === "string") return change
    const credential = findCredential(JSON.stringify(change))
    return credential === null ? { ...event, change } : `looks like ${credential.kind}`
  } catch (error) {
    if (error instanceof AmanError) return error.message
    if (error instanceof RangeError) return "is nested too deeply"
    throw error
  }
}

/** Clocks of a team differ; a date far ahead would outdo everything that is said until then. */
const DAY_MS = 86_400_000

/** No text of it, be it a reason or a name, has what must not be stored. */
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
      return isElsewhere(change.fields.project) ? "is of another project" : change
    default:
      return change
  }
}

function cleanedEntry(change: Extract<Change, { type: "stored" | "revised" }>): Change | string {
  const { project, source = null } = change.fields
  if (isElsewhere(project) || (change.type === "stored" && project === undefined))
    return "is of another project"
  return pathProblem(source) ?? { ...change, fields: checkFields(change.fields) as EntryFields }
}

function isElsewhere(project: string | null | undefined): boolean {
  return project !== undefined && project !== THIS_PROJECT
}

/** A source is shown beside the entry, so it must not lead out of the project. */
function pathProblem(source: EntryFields["source"]): string | null {
  if (source === null) return null
  const { path } = source
  const isOutside =
    /^(?:[\\/~]|[A-Za-z]:)|\\|\0/.test(path) ||
    path.split("/").some((part) => part === ".." || part === ".git")
  return isOutside ? "has a source outside of the project" : null
}

/** Subjects of the project: those of the store, and those that come into being here under an id that is theirs. */
function ownSubjects(events: readonly KnowledgeEvent[], { project, scopes }: Admitting): ReadonlySet<string> {
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

/** Why an event is none of this project's affair; null where it is. */
function foreign(
  { subject, change }: KnowledgeEvent,
  own: ReadonlySet<string>,
  { scopes, project }: Admitting,
): string | null {
  const scope = scopes.get(subject)
  if (scope !== undefined && scope !== project) return "is about an entry of another project"
  if (change.type === "purged") return null
  if (!own.has(subject)) return "is about an entry that is not there"
  const named = namedIn(change).find((id) => !own.has(id))
  return named === undefined ? null : `names ${named}, which is not of this project`
}

function namedIn(change: Change): string[] {
  switch (change.type) {
    case "superseded":
      return [change.by]
    case "invalidated":
      return change.successor === null ? [] : [change.successor]
    case "entity-merged":
      return [change.into]
    case "relation":
      return [change.from, change.to]
    default:
      return []
  }
}
