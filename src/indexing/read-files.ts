import type { Store } from "../store/store.ts"
import { batchesOf } from "./batches.ts"
import { commitBatch } from "./commit.ts"
import type { FileTask, ParsedBatch, ReadLimits } from "./messages.ts"
import type { Plan } from "./plan.ts"
import type { WorkerPool } from "./worker-pool.ts"

export type ReadContext = {
  readonly store: Store
  readonly pool: WorkerPool
  readonly root: string
  readonly limits: ReadLimits
  /** Throws when the run must end: cancelled, or no longer the leader. */
  readonly check: () => void
  readonly onProgress: (files: number) => void
  readonly afterBatch: () => Promise<void>
}

export type ReadReport = { readonly indexed: number; readonly chunks: number }

/** Reads, cuts and commits every file of the plan, batch by batch; a batch is in the index as soon as it is done. */
export async function readFiles(
  context: ReadContext,
  plan: Plan,
  oldIds: ReadonlyMap<string, number>,
): Promise<ReadReport> {
  const { store, pool } = context
  let nextId = store.files.nextId()
  const tasks = plan.read.map((file) => ({ ...file, id: nextId++ }))
  const batches = batchesOf(tasks, pool.size)
  let indexed = 0
  let chunks = 0
  let done = 0
  let next = 0
  // As many batches under way as keep the workers busy: what is parsed and not yet committed stays bounded.
  const lanes = Array.from({ length: Math.min(batches.length, pool.size + 1) }, async () => {
    while (next < batches.length) {
      const batch = batches[next++]!
      context.check()
      const parsed = await parseOrSkip(context, batch)
      context.check()
      const committed = commitBatch(store, parsed, oldIds)
      indexed += committed.indexed
      chunks += committed.chunks
      done += batch.length
      context.onProgress(done)
      await context.afterBatch()
    }
  })
  await Promise.all(lanes)
  return { indexed, chunks }
}

/** A batch that killed its worker is tried again file by file: only the file at fault is lost. */
async function parseOrSkip(context: ReadContext, files: readonly FileTask[]): Promise<ParsedBatch> {
  const { pool, root, limits } = context
  try {
    return await pool.run({ kind: "parse", root, limits, files })
  } catch (error) {
    context.check()
    if (files.length > 1) {
      const halves = [files.slice(0, files.length >> 1), files.slice(files.length >> 1)]
      const parts = await Promise.all(halves.map((half) => parseOrSkip(context, half)))
      return { outcomes: parts.flatMap((p) => p.outcomes), segments: parts.flatMap((p) => p.segments) }
    }
    const reason = error instanceof Error && error.message !== "" ? "parser failed" : "unreadable"
    return {
      outcomes: [{ status: "skipped", path: files[0]!.path, size: 0, mtimeMs: 0, reason }],
      segments: [],
    }
  }
}
