import type { EntryKind, Role } from "../../knowledge/entry.ts"
import type { EntryFilter as Wanted } from "../../knowledge/entry-filter.ts"
import type { Memory } from "./memory.ts"
import type { EntryFilter } from "./requests.ts"

/** The filter as the engine has it, from what was asked in this place. */
export function wantedEntries(memory: Memory, asked: EntryFilter, own = memory.project()): Wanted {
  const { topic, kinds = [], tags = [], author, role, session, after, before, as_of, metadata } = asked
  const projects = projectsOf(asked, own)
  return {
    ...(projects !== null && { projects }),
    ...(topic !== undefined && { topics: [topic] }),
    ...(kinds.length > 0 && { kinds: kinds as readonly EntryKind[] }),
    ...(tags.length > 0 && { tags }),
    ...(author !== undefined && { authors: [author] }),
    ...(role !== undefined && { roles: [role as Role] }),
    ...(session !== undefined && { sessions: [session] }),
    ...(after !== undefined && { recordedSince: after }),
    ...(before !== undefined && { recordedBefore: before }),
    ...(as_of !== undefined ? { asOf: as_of } : asked.valid && { asOf: "now" }),
    ...(metadata !== undefined && { metadata }),
  }
}

function projectsOf({ scope = "both" }: EntryFilter, own: string | null): (string | null)[] | null {
  switch (scope) {
    case "all":
      return null
    case "global":
      return [null]
    case "project":
      // Of a place of which nothing was remembered: nothing, rather than everything.
      return [own ?? ""]
    case "both":
      return own === null ? [null] : [own, null]
  }
}

/** The project of this place, where it is one, and what belongs to all. */
export function scopesOf(memory: Memory): (string | null)[] {
  const own = memory.project()
  return own === null ? [null] : [own, null]
}
