import type { Entry } from "../entries/entry.ts"
import { comparable } from "../entries/labels.ts"
import { byNewest, isValidAt } from "./order.ts"

export type PruneReason = "superseded" | "ended" | "repeated" | "source gone" | "old"

export type PruneProposal = {
  readonly entry: Entry
  readonly reason: PruneReason
  /** The reason in words, with the date or the other entry. */
  readonly detail: string
}

export type PruneOptions = {
  readonly now: string
  /** Entries older than this many days that were never revised count as old. */
  readonly days: number
  /** Ids of entries whose source is deleted, as far as it was checked. */
  readonly gone?: ReadonlySet<string>
}

/** Proposes entries to delete, each with its strongest reason; deletes nothing. */
export function prune(
  entries: readonly Entry[],
  { now, days, gone = new Set() }: PruneOptions,
): PruneProposal[] {
  const before = new Date(Date.parse(now) - days * 86_400_000).toISOString()
  const first = firstOfEach(entries, now)
  const propose = (entry: Entry): Omit<PruneProposal, "entry"> | null => {
    if (entry.supersededAt !== null && entry.supersededAt < before)
      return {
        reason: "superseded",
        detail: `by ${entry.supersededBy} on ${entry.supersededAt.slice(0, 10)}`,
      }
    if (entry.validUntil !== null && entry.validUntil < before)
      return { reason: "ended", detail: `held until ${entry.validUntil.slice(0, 10)}` }
    const same = first.get(sameness(entry))
    if (same !== undefined && same !== entry.id && isValidAt(entry, now))
      return { reason: "repeated", detail: `the same as ${same}` }
    if (gone.has(entry.id))
      return { reason: "source gone", detail: `${entry.source?.path ?? "its code"} was deleted` }
    if (entry.revision === 1 && entry.recordedAt < before && entry.kind !== "decision")
      return { reason: "old", detail: `unchanged since ${entry.recordedAt.slice(0, 10)}` }
    return null
  }
  return entries.flatMap((entry) => {
    const proposal = propose(entry)
    return proposal === null ? [] : [{ entry, ...proposal }]
  })
}

/** For each text, the id of the newest entry with it; that entry is not proposed for deletion. */
function firstOfEach(entries: readonly Entry[], now: string): Map<string, string> {
  const first = new Map<string, string>()
  for (const entry of [...entries].sort(byNewest)) {
    const same = sameness(entry)
    if (isValidAt(entry, now) && !first.has(same)) first.set(same, entry.id)
  }
  return first
}

function sameness({ project, topic, text }: Entry): string {
  return JSON.stringify([project, comparable(topic), comparable(text)])
}
