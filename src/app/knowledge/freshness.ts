import { lineDiff } from "../../knowledge/anchors/line-diff.ts"
import { namedThere } from "../../knowledge/anchors/named-there.ts"
import type { SourceState } from "../../knowledge/anchors/source-state.ts"
import type { Entry, EntrySource } from "../../knowledge/entry.ts"
import type { Knowledge } from "../../knowledge/knowledge.ts"
import type { Memory } from "./memory.ts"

export type LookedAt = {
  /** With its source where the lines are now. */
  readonly entry: Entry
  /** Null: it speaks of no code. */
  readonly state: SourceState | null
}

/**
 * Looks at the code an entry speaks of. Lines that moved are taken down at their new place, without a word; at one where
 * they were before only if `isAsked`: two work trees of a project would write in turns, for ever.
 */
export async function lookAtSource(
  memory: Memory,
  entry: Entry,
  { isAsked = false }: { readonly isAsked?: boolean } = {},
): Promise<LookedAt> {
  if (entry.source === null) return { entry, state: null }
  const isHere = entry.project !== null && entry.project === memory.project()
  const state = await memory.sources.state(entry.source, isHere)
  if (state.followed === null) return { entry, state }
  const { knowledge } = memory
  const isKept = !knowledge.readonly && (isAsked || !wasThere(knowledge, entry.id, state.followed))
  return {
    entry: isKept ? knowledge.anchor(entry.id, state.followed) : { ...entry, source: state.followed },
    state,
  }
}

function wasThere(knowledge: Knowledge, id: string, { path, startLine }: EntrySource): boolean {
  return knowledge.history(id).some(({ after }) => {
    const source = after?.source
    return source?.path === path && source.startLine === startLine
  })
}

export type SourceNow = {
  /** The lines as they are. */
  readonly text: string | null
  /** How they differ from those that were kept. */
  readonly diff: string | null
  /** Of what the entry names and its lines had, what they have no more; null where they had none of it, or are gone. */
  readonly lost: readonly string[] | null
}

/** What became of the code of an entry; null where nothing changed. */
export async function sourceNow(
  { source, text }: Entry,
  state: SourceState | null,
): Promise<SourceNow | null> {
  if (state === null || source === null) return null
  if (state.freshness !== "changed" && state.freshness !== "gone") return null
  if (state.now === null || source.text === null) return { text: state.now, diff: null, lost: null }
  const { named, lost } = namedThere(text, source.text, state.texts)
  return {
    text: state.now,
    diff: await lineDiff(source.text, state.now),
    lost: named.length === 0 ? null : lost,
  }
}
