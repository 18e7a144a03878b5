import { isSecretPath } from "../../base/secrets.ts"
import { findCredential } from "../credentials.ts"
import type { EntryFields, KnowledgeEvent } from "../event.ts"
import { comparable } from "../labels.ts"
import type { Remark } from "./imported.ts"
import { moveProjects } from "./move-projects.ts"
import { inOrder, scopesOf } from "./scopes.ts"
import { SHARED_LIMITS } from "./shared-folder.ts"
import { THIS_PROJECT } from "./shared-lines.ts"

export type Selection = {
  /** As they stand in the folder: the project by no id of a store. */
  readonly events: readonly KnowledgeEvent[]
  readonly remarks: readonly Remark[]
}

/** An entry with this tag stays with the one who wrote it. */
export const UNSHARED_TAG = "private"

/**
 * What of a store goes into the project's folder: the history of what belongs to the project now. Not what was said in
 * conversations, what is tagged "private", what looks like a credential, and what names a place on this machine.
 */
export function selectShared(events: readonly KnowledgeEvent[], project: string): Selection {
  const scopes = scopesOf(events)
  const own = inOrder(events).filter(({ subject }) => scopes.get(subject) === project)
  const histories = Map.groupBy(own, ({ subject }) => subject)
  const { shared, names, remarks } = sharedEntries(histories)
  const entities = sharedEntities(histories, names)
  const selected = own.filter(({ subject, change }) => {
    if (shared.has(subject) || entities.has(subject)) return true
    const [first] = histories.get(subject)!
    const ends = first!.change.type === "relation" ? [first!.change.from, first!.change.to] : []
    return change.type.startsWith("relation") && ends.length > 0 && ends.every((end) => entities.has(end))
  })
  return { events: moveProjects(selected.map(withoutLocalPath), () => THIS_PROJECT), remarks }
}

type Histories = ReadonlyMap<string, readonly KnowledgeEvent[]>

/** Names that entries mention which are shared, and which are not. */
type Names = { readonly shared: Set<string>; readonly kept: Set<string> }

function sharedEntries(histories: Histories): { shared: Set<string>; names: Names; remarks: Remark[] } {
  const shared = new Set<string>()
  const names: Names = { shared: new Set(), kept: new Set() }
  const remarks: Remark[] = []
  for (const [subject, history] of histories) {
    const fields = entryFields(history)
    if (fields === null) continue
    const problem = whyKept(fields, history)
    for (const name of fields.entities ?? [])
      names[problem === null ? "shared" : "kept"].add(comparable(name))
    if (problem === null) shared.add(subject)
    else if (problem !== "") remarks.push({ file: subject, line: null, message: problem })
  }
  return { shared, names, remarks }
}

/** The last said of each field; null where it is no entry. */
function entryFields(history: readonly KnowledgeEvent[]): Partial<EntryFields> | null {
  if (!history.some(({ change }) => change.type === "stored")) return null
  let fields: Partial<EntryFields> = {}
  for (const { change } of history) {
    if (change.type === "stored" || change.type === "revised") fields = { ...fields, ...change.fields }
    if (change.type !== "tagged") continue
    const gone = new Set(change.remove)
    fields = { ...fields, tags: [...(fields.tags ?? []).filter((tag) => !gone.has(tag)), ...change.add] }
  }
  return fields
}

/** Null where it is shared, "" where that needs no word. */
function whyKept(fields: Partial<EntryFields>, history: readonly KnowledgeEvent[]): string | null {
  const isSaid = fields.kind === "episodic" && fields.session != null && fields.role != null
  if (isSaid || fields.tags?.includes(UNSHARED_TAG)) return ""
  for (const event of history) {
    const line = JSON.stringify(event)
    if (line.length > SHARED_LIMITS.lineChars) return "is too long to be shared"
    const credential = findCredential(line)
    if (credential !== null) return `is not shared: it looks like ${credential.kind}`
  }
  return null
}

function withoutLocalPath(event: KnowledgeEvent): KnowledgeEvent {
  const { change } = event
  const isLocal = (source: EntryFields["source"] | undefined) =>
    source != null && (/^(?:[\\/~]|[A-Za-z]:)/.test(source.path) || isSecretPath(source.path))
  if (change.type === "anchored" && isLocal(change.source))
    return { ...event, change: { ...change, source: null } }
  if ((change.type === "stored" || change.type === "revised") && isLocal(change.fields.source))
    return { ...event, change: { ...change, fields: { ...change.fields, source: null } } as typeof change }
  return event
}

/** Not those of which only entries speak that stay here. */
function sharedEntities(histories: Histories, names: Names): Set<string> {
  const entities = new Set<string>()
  for (const [subject, history] of histories) {
    const own = history.flatMap(({ change }) =>
      change.type === "entity" ? [change.fields.name, ...change.fields.aliases].map(comparable) : [],
    )
    const isKept = own.some((name) => names.kept.has(name)) && !own.some((name) => names.shared.has(name))
    if (own.length > 0 && !isKept && findCredential(JSON.stringify(history)) === null) entities.add(subject)
  }
  return entities
}
