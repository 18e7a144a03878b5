import type { EntryKind } from "../entry.ts"

/** The kind of entry for what other stores call the sort of a note; undefined where their word says nothing. */
export function kindOf(word: string): EntryKind | undefined {
  return KINDS.get(word.toLowerCase().replace(/[\s_]+/g, "-"))
}

const WORDS: Readonly<Record<EntryKind, string>> = {
  decision: "decision decisions adr choice architecture design architecture-decision",
  procedural:
    "procedural procedure howto how-to method technique workflow runbook recipe command commands guide feedback rule",
  episodic:
    "episodic event log meeting bugfix bug incident session session-summary summary passive journal diary history",
  semantic: "semantic fact discovery learning pattern config preference reference project user idea note",
}

const KINDS: ReadonlyMap<string, EntryKind> = new Map(
  (Object.entries(WORDS) as [EntryKind, string][]).flatMap(([kind, words]) =>
    words.split(" ").map((word) => [word, kind] as const),
  ),
)
