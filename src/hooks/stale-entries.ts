import { anchorOf } from "../knowledge/anchors/kept-anchor.ts"
import { findByHash, findExact } from "../knowledge/anchors/locate.ts"
import type { Entry } from "../knowledge/entry.ts"
import type { HookPlace } from "./place.ts"

/** Reading files takes time: of very many notes the newest are looked at. */
const MOST_LOOKED_AT = 60

/**
 * Notes of this project whose lines are no longer in the file they were in, newest first. A quick look that parses
 * nothing and follows no rename: `aman memory stale` finds out more.
 */
export function staleEntries(place: HookPlace, most: number, except: ReadonlySet<string>): Entry[] {
  const sourced = place.entries
    .filter(({ id, source }) => source?.hash && !except.has(id))
    .sort((a, b) => (a.revisedAt < b.revisedAt ? 1 : -1))
  const found: Entry[] = []
  for (const entry of sourced.slice(0, MOST_LOOKED_AT)) {
    if (found.length === most || place.isLate) break
    if (hasChanged(place, entry)) found.push(entry)
  }
  return found
}

/** Whether the lines it speaks of are no longer there; false also where one cannot tell. */
export function hasChanged(place: HookPlace, { source, project }: Entry): boolean {
  const { projectId } = place
  if (projectId === null || project !== projectId || source === null) return false
  if (source.hash === null || source.startLine === null || source.endLine === null) return false
  const lines = place.linesOf(source.path)
  if (lines === null) return true
  const anchor = anchorOf(source)
  return (anchor === null ? findByHash(lines, source) : findExact(lines, anchor)) === null
}
