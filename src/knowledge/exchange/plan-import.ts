import { AmanError } from "../../base/errors.ts"
import { sha256 } from "../../base/sha256.ts"
import { checkEntry } from "../check-entry.ts"
import type { EntryFields, KnowledgeEvent } from "../event.ts"
import { idOf } from "../ids.ts"
import type { NewEntry } from "../new-entry.ts"
import { instant } from "../times.ts"
import type { ImportedEntry } from "./imported.ts"
import { withoutContext } from "./injected.ts"
import { inOrder } from "./scopes.ts"

export type Planned = {
  readonly id: string
  readonly topic: string
  readonly text: string
  readonly outcome: "stored" | "revised" | "known" | "refused"
  /** Why it was refused. */
  readonly reason: string | null
}

export type ImportPlan = { readonly entries: readonly Planned[]; readonly events: readonly KnowledgeEvent[] }

export type ImportTarget = {
  readonly format: string
  readonly project: string | null
  /** ISO instant: of what says no time. */
  readonly now: string
  /** Stores what looks like a credential, too. */
  readonly force?: boolean
}

/** Of a form that the source took after the entry was recorded, before the first import or since. */
const REASON = "revised in its source"

/**
 * What is to be written of what was read. An entry's id is made of the format, the project and its ref, so that reading
 * it again finds it, whatever became of it here since: only what the source itself changed is written, and what was
 * deleted or purged stays so. `known` holds the events there are of a subject.
 */
export function planImport(
  entries: readonly ImportedEntry[],
  known: (subject: string) => readonly KnowledgeEvent[],
  target: ImportTarget,
): ImportPlan {
  const planned: Planned[] = []
  const events: KnowledgeEvent[] = []
  // What comes twice is what it was last: otherwise each import would go from one form to the other and back.
  const byId = new Map(entries.map((entry) => [importedId(target, entry.ref), entry]))
  for (const [id, entry] of byId) {
    const text = withoutContext(entry.text)
    const checked =
      text.trim() === ""
        ? "nothing of it is left without what aman put there"
        : check({ ...entry, text }, target)
    if (typeof checked === "string") {
      planned.push({ id, topic: entry.topic ?? "general", text, outcome: "refused", reason: checked })
      continue
    }
    const written = eventsFor(id, entry, checked, known(id), target)
    events.push(...written)
    const outcome =
      written.length === 0 ? "known" : written[0]!.change.type === "stored" ? "stored" : "revised"
    planned.push({ id, topic: checked.topic, text: checked.text, outcome, reason: null })
  }
  return { entries: planned, events }
}

/** The id that an entry of a source has in every store into which it is imported for this project. */
export function importedId(
  { format, project }: Pick<ImportTarget, "format" | "project">,
  ref: string,
): string {
  return idOf("import", format, project, ref)
}

function check(entry: ImportedEntry, { project, force = false }: ImportTarget): EntryFields | string {
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
    // The same form of the same thing is one event on all machines.
    id: idOf("import", subject, at, sha256(JSON.stringify(change))),
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
  const former = lastImported(known)
  if (former === null) return []
  const changes = changedFields(former.fields, fields)
  if (Object.keys(changes).length === 0) return []
  const found = revisedAt !== null && revisedAt > former.at ? revisedAt : now
  // Behind what it changes, also where both are of one moment.
  const at = found > former.at ? found : instant(Date.parse(former.at) + 1)
  return [event(at, { type: "revised", fields: changes, reason: REASON })]
}

/** What the source said when it was last read; null where all of it was purged. */
function lastImported(events: readonly KnowledgeEvent[]): { fields: EntryFields; at: string } | null {
  let fields: EntryFields | null = null
  let at = ""
  for (const event of inOrder(events)) {
    const { change } = event
    if (change.type === "purged") return null
    if (change.type === "stored") fields = change.fields
    else if (change.type !== "revised" || change.reason !== REASON || fields === null) continue
    else fields = { ...(fields as EntryFields), ...change.fields }
    at = event.at
  }
  return fields === null ? null : { fields, at }
}

/** A place in its session is the store's affair where the source gives none. */
function changedFields(former: EntryFields, fields: EntryFields): Partial<EntryFields> {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([name, value]) => !Bun.deepEquals(former[name as keyof EntryFields] ?? null, value ?? null),
    ),
  )
}
