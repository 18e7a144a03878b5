import { anchorOf } from "../../memory/anchors/kept-anchor.ts"
import { findByHash, findExact } from "../../memory/anchors/locate.ts"
import type { Entry } from "../../memory/entries/entry.ts"
import type { HookPlace } from "../place.ts"

/** Max entries to check, newest first, because reading files takes time. */
const MAX_CHECKED = 60

/**
 * Entries of this project whose source lines are no longer in their file, newest first. A quick check without
 * parsing or following renames: `aman memory stale` finds more.
 */
export function staleEntries(place: HookPlace, most: number, except: ReadonlySet<string>): Entry[] {
  const sourced = place.entries
    .filter(({ id, source }) => source?.hash && !except.has(id))
    .sort((a, b) => (a.revisedAt < b.revisedAt ? 1 : -1))
  const found: Entry[] = []
  for (const entry of sourced.slice(0, MAX_CHECKED)) {
    if (found.length === most || place.isLate) break
    if (hasChanged(place, entry)) found.push(entry)
  }
  return found
}

/** True if the entry's source lines are no longer in their file; false if unknown. */
export function hasChanged(place: HookPlace, { source, project }: Entry): boolean {
  const { projectId } = place
  if (projectId === null || project !== projectId || source === null) return false
  if (source.hash === null || source.startLine === null || source.endLine === null) return false
  const lines = place.linesOf(source.path)
  if (lines === null) return true
  const anchor = anchorOf(source)
  return (anchor === null ? findByHash(lines, source) : findExact(lines, anchor)) === null
}
