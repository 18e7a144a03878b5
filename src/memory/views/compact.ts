import { unicodeWords } from "../../text/terms/unicode.ts"
import type { Entry } from "../entries/entry.ts"
import { comparable } from "../entries/labels.ts"
import { byNewest, isValidAt } from "./order.ts"

/** Entries of one topic with nearly the same text, newest first. */
export type CompactGroup = {
  readonly topic: string
  readonly entries: readonly Entry[]
  /** Min overlap of a member with the group's newest member, 0 to 1. */
  readonly overlap: number
}

/** Min share of the shorter entry's words that two entries of a group have in common. */
const ALIKE = 0.5

/** Proposes entries to merge; changes nothing. Entries that are no longer valid are ignored. */
export function compact(entries: readonly Entry[], now: string): CompactGroup[] {
  const living = entries.filter((entry) => isValidAt(entry, now))
  const places = Map.groupBy(living, ({ project, topic }) => JSON.stringify([project, comparable(topic)]))
  return [...places.values()].flatMap(groupsOf).sort((a, b) => b.overlap - a.overlap)
}

function groupsOf(entries: readonly Entry[]): CompactGroup[] {
  const sorted = [...entries].sort(byNewest)
  const words = sorted.map(({ text }) => subjectWords(text))
  const groups: { members: number[]; overlap: number }[] = []
  // Each entry joins the first group whose newest member it resembles, so that no chain links unrelated
  // entries.
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

/** Words that indicate a text's subject: four characters or more, or with a character outside ASCII. */
function subjectWords(text: string): Set<string> {
  return new Set(unicodeWords(text).filter((word) => word.length >= 4 || /[^\p{ASCII}]/u.test(word)))
}

/** Share of the smaller set's words that the other has, 0 to 1; 0 when it has fewer than MIN_WORDS. */
function overlapOfSmaller(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const smaller = Math.min(a.size, b.size)
  if (smaller < MIN_WORDS) return 0
  let shared = 0
  for (const word of a.size < b.size ? a : b) if (a.has(word) && b.has(word)) shared++
  return shared / smaller
}

const MIN_WORDS = 3
