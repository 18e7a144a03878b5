import { isObject } from "../../base/index.ts"
import { withoutFormerForms } from "../formats/events.ts"
import { foldSubjects } from "../log/derive.ts"
import { type Change, foldOrder, type KnowledgeEvent, readEvent } from "../log/event.ts"
import { stableId } from "../log/ids.ts"
import { cleaned, THIS_PROJECT } from "./admit-shared.ts"
import { whyKept, withoutLocalPath } from "./sync-shared.ts"

/** Why an entry with these events may not leave this machine; null if it may. */
export function whyNotForTeam(history: readonly KnowledgeEvent[]): string | null {
  const state = foldSubjects(history).get(history[0]?.subject ?? "")
  if (state?.of !== "entry") return "is not an entry"
  if (state.value.deletedAt !== null) return "is deleted"
  const reason = whyKept(state.value, history)
  return reason === "" ? "is tagged private, or part of a conversation" : reason
}

/**
 * Events of one entry as the team's server stores them. `isWhole`: they are all of its events, of which texts that later
 * ones replaced are left out.
 */
export function forTeam(events: readonly KnowledgeEvent[], isWhole: boolean): KnowledgeEvent[] {
  const ordered = foldOrder(events)
  return (isWhole ? withoutFormerForms(ordered) : ordered).map((event) => {
    const { change } = event
    if (change.type === "stored")
      return withoutLocalPath(withChange(event, { fields: { ...change.fields, project: THIS_PROJECT } }))
    if (change.type !== "revised") return withoutLocalPath(event)
    const { project: _, ...fields } = change.fields
    return withoutLocalPath(withChange(event, { fields }))
  })
}

/**
 * The form in which the team's server stores an event that a client sent. It is checked like a text that is
 * remembered on this machine, because anybody with a token can send anything. A string gives the reason why the event
 * is refused. `now` is an ISO instant.
 */
export function checkedForTeam(value: unknown, now: string): KnowledgeEvent | string {
  const event = readEvent(value)
  if (typeof event === "string") return event
  return ENTRY_CHANGES.has(event.change.type) ? cleaned(event, now) : "only entries can be shared"
}

const ENTRY_CHANGES: ReadonlySet<Change["type"]> = new Set<Change["type"]>([
  ...(["stored", "revised", "appended", "tagged", "anchored"] as const),
  ...(["invalidated", "superseded", "kept", "deleted", "restored", "purged"] as const),
])

/**
 * An event from the server as this machine's copy stores it: with the project of its repository, which is also in its
 * metadata, and with the person who shared the entry as its author, whatever the event itself says. Null if it is none.
 */
export function fromTeam(
  value: unknown,
  { owner, repository }: { readonly owner: string; readonly repository: string | null },
): KnowledgeEvent | null {
  const event = readEvent(value)
  if (typeof event === "string") return null
  const { change } = event
  const more = repository === null ? {} : { repository }
  if (change.type === "stored") {
    const metadata = { ...(isObject(change.fields.metadata) ? change.fields.metadata : {}), ...more }
    const project = teamProject(repository)
    return withChange(event, { fields: { ...change.fields, project, author: owner, metadata } })
  }
  if (change.type !== "revised") return event
  const { project: _, author: __, metadata, ...fields } = change.fields
  const named = metadata === undefined ? {} : { metadata: { ...metadata, ...more } }
  return withChange(event, { fields: { ...fields, ...named } })
}

/** Id of the project that a copy gives to the entries of a repository: the same on every machine. */
export function teamProject(repository: string | null): string | null {
  return repository === null ? null : stableId("team repository", repository)
}

function withChange(event: KnowledgeEvent, part: object): KnowledgeEvent {
  return { ...event, change: { ...event.change, ...part } as Change }
}
