import type { Entry } from "../entry.ts"
import { compare } from "./order.ts"

export type TagCount = { readonly tag: string; readonly entries: number; readonly lastAt: string }

/** Tags, the most used first. */
export function tagCounts(entries: readonly Entry[]): TagCount[] {
  const counts = new Map<string, { entries: number; lastAt: string }>()
  for (const { tags, recordedAt } of entries) {
    for (const tag of tags) {
      const known = counts.get(tag) ?? { entries: 0, lastAt: "" }
      known.entries++
      if (recordedAt > known.lastAt) known.lastAt = recordedAt
      counts.set(tag, known)
    }
  }
  return [...counts]
    .map(([tag, count]) => ({ tag, ...count }))
    .sort((a, b) => b.entries - a.entries || compare(a.tag, b.tag))
}
