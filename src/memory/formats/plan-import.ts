import { AmanError } from "../../base/errors.ts"
import { sha256 } from "../../base/files/files.ts"
import { checkEntry } from "../entries/check-entry.ts"
import type { NewEntry } from "../entries/entry.ts"
import { instant } from "../entries/times.ts"
import type { EntryFields, KnowledgeEvent } from "../log/event.ts"
import { stableId } from "../log/ids.ts"
import { foldOrder } from "./export/scopes.ts"
import type { ImportedEntry } from "./imported.ts"
import { withoutContext } from "./injected.ts"

export type PlannedImport = {
  readonly id: string
  readonly topic: string
  readonly text: string
  readonly outcome: "stored" | "revised" | "known" | "refused"
  /** Why the entry was refused; null when it was not. */
  readonly reason: string | null
}

type ImportPlan = {
  readonly entries: readonly PlannedImport[]
  readonly events: readonly KnowledgeEvent[]
}

export type ImportTarget = {
  readonly format: string
  readonly project: string | null
  /** Time of the import, an ISO instant; used for entries without a time. */
  readonly now: string
  /** Accept text that looks like a credential. */
  readonly force?: boolean
}

/** Reason of events for revisions made in the source, before the first import or after it. */
const REASON = "revised in its source"

/**
 * The events to write for the imported entries. An entry's id is derived from the format, the project and its ref, so
 * that a second import finds the entry even if it was changed in the store. Only changes made in the source are
 * written; deleted or purged entries stay deleted or purged. `known` returns the existing events of a subject.
 */
export function planImport(
  entries: readonly ImportedEntry[],
  known: (subject: string) => readonly KnowledgeEvent[],
  target: ImportTarget,
): ImportPlan {
  const planned: PlannedImport[] = []
  const events: KnowledgeEvent[] = []
  // If an entry occurs twice in the source, only the last occurrence counts; otherwise each import would alternate
  // between the two.
  const byId = new Map(entries.map((entry) => [importedId(target, entry.ref), entry]))
  for (const [id, entry] of byId) {
    const text = withoutContext(entry.text)
    const checked =
      text.trim() === "" ? "it has no text of its own" : checkedFields({ ...entry, text }, target)
    if (typeof checked === "string") {
      planned.push({ id, topic: entry.topic ?? "general", text, outcome: "refused", reason: checked })
      continue
    }
    const written = eventsFor(id, entry, checked, known(id), target)
    events.push(...written)
    planned.push({ id, topic: checked.topic, text: checked.text, outcome: outcomeOf(written), reason: null })
  }
  return { entries: planned, events }
}

/** What becomes of an entry by these events. */
function outcomeOf([first]: readonly KnowledgeEvent[]): "known" | "stored" | "revised" {
  if (first === undefined) return "known"
  return first.change.type === "stored" ? "stored" : "revised"
}

/** Id of an entry of a source, the same in every store that imports it for this project. */
export function importedId(
  { format, project }: Pick<ImportTarget, "format" | "project">,
  ref: string,
): string {
  return stableId("import", format, project, ref)
}

function checkedFields(entry: ImportedEntry, { project, force = false }: ImportTarget): EntryFields | string {
  const { ref: _ref, revisedAt: _revisedAt, ...fields } = entry
  try {
    return checkEntry({ ...(fields as NewEntry), project }, { force }).fields
  } catch (error) {
    if (error instanceof AmanError) return error.message
    throw error
  }
}

function eventsFor(
  subject: string,
  entry: ImportedEntry,
  fields: EntryFields,
  known: readonly KnowledgeEvent[],
  { now }: ImportTarget,
): KnowledgeEvent[] {
  const event = (at: string, change: KnowledgeEvent["change"]): KnowledgeEvent => ({
    // The same revision of the same entry gets the same event id on all machines.
    id: stableId("import", subject, at, sha256(JSON.stringify(change))),
    at,
    subject,
    change,
  })
  const { recordedAt, revisedAt = null } = entry
  if (known.length === 0) {
    const stored = event(recordedAt ?? now, { type: "stored", fields })
    if (revisedAt === null || revisedAt <= stored.at) return [stored]
    return [stored, event(revisedAt, { type: "revised", fields: {}, reason: REASON })]
  }
  const previous = lastImported(known)
  if (previous === null) return []
  const changes = changedFields(previous.fields, fields)
  if (Object.keys(changes).length === 0) return []
  const found = revisedAt !== null && revisedAt > previous.at ? revisedAt : now
  // The time of the event must be later than that of the subject's previous event, even if the source gives both the
  // same time.
  const at = found > previous.at ? found : instant(Date.parse(previous.at) + 1)
  return [event(at, { type: "revised", fields: changes, reason: REASON })]
}

/** The fields as last imported from the source; null when the entry was purged. */
function lastImported(events: readonly KnowledgeEvent[]): { fields: EntryFields; at: string } | null {
  let fields: EntryFields | null = null
  let at = ""
  for (const event of foldOrder(events)) {
    const { change } = event
    if (change.type === "purged") return null
    if (change.type === "stored") fields = change.fields
    else if (change.type !== "revised" || change.reason !== REASON || fields === null) continue
    else fields = { ...(fields as EntryFields), ...change.fields }
    at = event.at
  }
  return fields === null ? null : { fields, at }
}

/** The fields that differ from the previous import. */
function changedFields(previous: EntryFields, fields: EntryFields): Partial<EntryFields> {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([name, value]) => !Bun.deepEquals(previous[name as keyof EntryFields] ?? null, value ?? null),
    ),
  )
}
