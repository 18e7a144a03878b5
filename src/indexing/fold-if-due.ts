import { isLarge } from "./is-large.ts"
import type { RunContext } from "./run.ts"

// Deltas are folded when they are many, or a tenth of the whole (design: "Storage").
const MOST_DELTAS = 32
const DELTA_SHARE = 0.1
// In the middle of a long run: what waits is held in memory while it is folded.
const MOST_DELTAS_WHILE_READING = 64

/** Folds the keyword segments that wait into the next generation, when enough of them do. */
export async function foldKeywordIfDue(context: RunContext, check: () => void): Promise<void> {
  const { store } = context
  const pending = store.segments.pending()
  const parts = store.derived.of("keyword").length
  const share = store.files.totals().chunks * DELTA_SHARE
  const due = parts === 0 || pending.segments > MOST_DELTAS || pending.chunks > share
  if (parts < 2 && (pending.segments === 0 || !due)) return
  context.onProgress("fold", 0, 1)
  await foldKeyword(context, check, true)
  context.onProgress("fold", 1, 1)
}

/**
 * To be asked after every batch for what is to be done then, mostly nothing: makes one part of what waits now and
 * then, so that a long run's segments stay few. Merging all each time would write the whole ten times over, and hold
 * it in memory beside the parsers.
 */
export function folderWhileReading(
  context: RunContext,
  check: () => void,
): () => (() => Promise<void>) | null {
  let isFolding = false
  return () => {
    if (isFolding || context.store.segments.ids().length < MOST_DELTAS_WHILE_READING) return null
    isFolding = true
    return async () => {
      try {
        await foldKeyword(context, check, false)
      } finally {
        isFolding = false
      }
    }
  }
}

async function foldKeyword(
  { store, config, pool }: RunContext,
  check: () => void,
  isWhole: boolean,
): Promise<void> {
  const generation = store.meta.generation() + 1
  const folded = await pool().run(
    { kind: "fold-keyword", folder: config.index.dir, generation, isWhole },
    { isAlone: isLarge(store) },
  )
  check()
  store.transaction(() => {
    store.meta.advanceGeneration()
    const kept = isWhole ? [] : store.derived.of("keyword")
    store.derived.replace("keyword", 0, [...kept, folded.row])
    store.segments.removeUpTo(folded.upTo)
    store.tombstones.remove("keyword", 0, folded.dead)
  })
}
