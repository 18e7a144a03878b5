import { findByHash, findExact } from "../../memory/anchors/locate.ts"
import { anchorOf } from "../../memory/anchors/stored-anchor.ts"
import type { Entry } from "../../memory/entries/entry.ts"
import type { HookSources } from "../hook-sources.ts"

/** Max entries to check, newest first, because reading files takes time. */
const MAX_CHECKED = 60

/**
 * Entries of this project whose source lines are no longer in their file, newest first. A quick check without
 * parsing or following renames: `aman memory stale` finds more.
 */
export function staleEntries(sources: HookSources, max: number, except: ReadonlySet<string>): Entry[] {
  const sourced = sources.entries
    .filter(({ id, source }) => source?.hash && !except.has(id))
    .sort((a, b) => (a.revisedAt < b.revisedAt ? 1 : -1))
  const found: Entry[] = []
  for (const entry of sourced.slice(0, MAX_CHECKED)) {
    if (found.length === max || sources.isLate) break
    if (hasChanged(sources, entry)) found.push(entry)
  }
  return found
}

/** True if the entry's source lines are no longer in their file; false if unknown. */
export function hasChanged(sources: HookSources, { source, project }: Entry): boolean {
  const { projectId } = sources
  if (projectId === null || project !== projectId || source === null) return false
  if (source.hash === null || source.startLine === null || source.endLine === null) return false
  const lines = sources.linesOf(source.path)
  if (lines === null) return true
  const anchor = anchorOf(source)
  return (anchor === null ? findByHash(lines, source) : findExact(lines, anchor)) === null
}
