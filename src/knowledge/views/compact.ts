import type { Entry } from "../entry.ts"
import { comparable } from "../labels.ts"
import { overlapOfSmaller, tellingWords } from "./alike.ts"
import { holds } from "./holds.ts"
import { byNewest } from "./order.ts"

/** Entries of one topic that say nearly the same, newest first. */
export type CompactGroup = {
  readonly topic: string
  readonly entries: readonly Entry[]
  /** The least that any of them shares with another one of the group. */
  readonly overlap: number
}

/** Of the words of the shorter one, as seed 002 has it. */
const ALIKE = 0.5

/** Proposes which entries could be made one; changes nothing. What no longer holds is left alone. */
export function compact(entries: readonly Entry[], now: string): CompactGroup[] {
  const living = entries.filter((entry) => holds(entry, now))
  const places = Map.groupBy(living, ({ project, topic }) => JSON.stringify([project, comparable(topic)]))
  return [...places.values()].flatMap(groupsOf).sort((a, b) => b.overlap - a.overlap)
}

function groupsOf(entries: readonly Entry[]): CompactGroup[] {
  const sorted = [...entries].sort(byNewest)
  const words = sorted.map(({ text }) => tellingWords(text))
  const groups: { members: number[]; overlap: number }[] = []
  // Each joins the first group whose newest member it is like: no chains from one thing to quite another.
  for (const at of sorted.keys()) {
    const score = (group: (typeof groups)[number]) => overlapOfSmaller(words[at]!, words[group.members[0]!]!)
    const group = groups.find((found) => score(found) > ALIKE)
    if (group === undefined) groups.push({ members: [at], overlap: 1 })
    else {
      group.overlap = Math.min(group.overlap, score(group))
      group.members.push(at)
    }
  }
  return groups
    .filter(({ members }) => members.length > 1)
    .map(({ members, overlap }) => ({
      topic: sorted[members[0]!]!.topic,
      entries: members.map((at) => sorted[at]!),
      overlap,
    }))
}
