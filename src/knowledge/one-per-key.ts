import type { Entry } from "./entry.ts"

/**
 * Of the entries that bear one key in one project only the newest form stands; it supersedes the others. Said of the
 * entries and not by events, so that stores that met the key apart agree once they have exchanged.
 */
export function onePerKey(entries: readonly Entry[]): Entry[] {
  const winner = entries.filter(isLiving).reduce<Entry | null>(newer, null)
  return entries.map((entry) =>
    winner === null || entry.id === winner.id || !isLiving(entry)
      ? entry
      : { ...entry, supersededAt: winner.revisedAt, supersededBy: winner.id },
  )
}

/** Neither deleted nor superseded. */
export function isLiving({ deletedAt, supersededAt }: Entry): boolean {
  return deletedAt === null && supersededAt === null
}

function newer(best: Entry | null, entry: Entry): Entry {
  if (best === null) return entry
  const isLater =
    entry.revisedAt > best.revisedAt || (entry.revisedAt === best.revisedAt && entry.id > best.id)
  return isLater ? entry : best
}
