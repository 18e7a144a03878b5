import type { DiffHunk } from "./history.ts"
import type { Hunk } from "./task.ts"

/**
 * Maps the lines that a hunk touches, whose numbers refer to a newer version of a file, to an older version. `between`
 * are the hunks that lead from the older to the newer version. Null if one of them changes a line that `hunk` touches.
 */
export function mapBack(hunk: DiffHunk, between: readonly DiffHunk[]): Hunk | null {
  const added = hunk.oldCount === 0
  const start = hunk.oldStart
  const end = added ? start + 1 : start + hunk.oldCount - 1
  let shift = 0
  for (const { oldCount, newStart, newCount } of between) {
    // A removal leaves no line in the newer version: it lies between newStart and newStart + 1.
    const first = newCount === 0 ? newStart + 0.5 : newStart
    const last = newCount === 0 ? newStart + 0.5 : newStart + newCount - 1
    if (last < start) shift += oldCount - newCount
    else if (first <= end) return null
  }
  const mapped = { start: Math.max(1, start + shift), end: end + shift }
  return added ? { ...mapped, added } : mapped
}
