import { lineDiff } from "../../knowledge/anchors/line-diff.ts"
import type { SourceState } from "../../knowledge/anchors/source-state.ts"
import type { Entry } from "../../knowledge/entry.ts"
import type { Memory } from "./memory.ts"

export type LookedAt = {
  /** With its source where the lines are now. */
  readonly entry: Entry
  /** Null: it speaks of no code. */
  readonly state: SourceState | null
}

/** Looks at the code an entry speaks of. Lines that moved are taken down at their new place, without a word. */
export async function lookAtSource(memory: Memory, entry: Entry): Promise<LookedAt> {
  if (entry.source === null) return { entry, state: null }
  const isHere = entry.project !== null && entry.project === memory.project()
  const state = await memory.sources.state(entry.source, isHere)
  if (state.followed === null) return { entry, state }
  if (memory.knowledge.readonly) return { entry: { ...entry, source: state.followed }, state }
  return { entry: memory.knowledge.anchor(entry.id, state.followed), state }
}

/** The lines now and how they differ from those that were kept; null where nothing changed. */
export async function sourceNow(
  { source }: Entry,
  state: SourceState | null,
): Promise<{ readonly text: string | null; readonly diff: string | null } | null> {
  if (state === null || source === null) return null
  if (state.freshness !== "changed" && state.freshness !== "gone") return null
  const diff = state.now === null || source.text === null ? null : await lineDiff(source.text, state.now)
  return { text: state.now, diff }
}
