import type { PullAnswer, PushAnswer, PushedEntry } from "../../src/index/index.ts"
import { checkedForTeam } from "../../src/memory/index.ts"
import type { Principal } from "./catalogue/access.ts"
import type { Catalogue } from "./catalogue/catalogue.ts"
import { pullEvents, pushSubject } from "./catalogue/memory.ts"

/**
 * Stores events of the principal's own entries, each entry as a whole or not at all. Texts are checked again, and what
 * looks like a credential is refused, whatever the client did. `now` is an ISO instant; `noteRefusal` records a refusal
 * in the audit log.
 */
export async function pushMemory(
  catalogue: Catalogue,
  who: Principal,
  entries: readonly PushedEntry[],
  { now, noteRefusal }: { readonly now: string; readonly noteRefusal: (about: string) => Promise<void> },
): Promise<PushAnswer> {
  const refused: { subject: string; reason: string }[] = []
  for (const entry of entries) {
    const { subject, visible_to: visibility, repository } = entry
    const events = checkedEvents(entry, now)
    const reason =
      typeof events === "string"
        ? events
        : await pushSubject(catalogue, who, { subject, visibility, repository, ...events })
    if (reason === null) continue
    refused.push({ subject, reason })
    await noteRefusal(`${subject}: ${reason}`.slice(0, 300))
  }
  return { stored: entries.length - refused.length, refused }
}

export async function pullMemory(
  catalogue: Catalogue,
  who: Principal,
  after: string,
  key: Buffer,
): Promise<PullAnswer> {
  return { principal: who.name, ...(await pullEvents(catalogue, who, after, key)) }
}

function checkedEvents({ subject, events }: PushedEntry, now: string) {
  const checked = []
  for (const each of events) {
    const event = checkedForTeam(each, now)
    if (typeof event === "string") return event
    if (event.subject !== subject) return "an event is about another entry"
    checked.push(event)
  }
  // After a purge nothing else of the entry is kept.
  const purge = checked.find(({ change }) => change.type === "purged")
  const kept = purge === undefined ? checked : [purge]
  return {
    isPurged: purge !== undefined,
    events: kept.map(({ id, at, change }) => ({ id, at, subject, body: JSON.stringify(change) })),
  }
}
