import { committedLately, filesNotCommitted } from "../git/lately.ts"
import type { Store } from "../store/store.ts"
import { batchesOf } from "./batches.ts"
import { byUse, RECENT_FILES } from "./by-use.ts"
import { commitBatch } from "./commit.ts"
import { MemoryGate } from "./memory-gate.ts"
import type { FileTask, ParsedBatch, ReadLimits } from "./messages.ts"
import type { FoundFile, Plan } from "./plan.ts"
import { StallError } from "./stall-watch.ts"
import type { WorkerPool } from "./worker-pool.ts"

export type ReadContext = {
  readonly store: Store
  readonly pool: WorkerPool
  readonly root: string
  readonly limits: ReadLimits
  /** What the process may hold; above it reading pauses, gives memory back, and goes on more narrowly. */
  readonly memoryLimitBytes: number
  /** Throws when the run must end: cancelled, or no longer the leader. */
  readonly check: () => void
  readonly onProgress: (files: number) => void
  /** Asked after every batch for further work; null where there is none. */
  readonly afterBatch: () => (() => Promise<void>) | null
}

type Task = FileTask & FoundFile

// A parse ends by itself after five seconds of work; this is for what cannot be asked to.
const STALL_MS = 40_000

// More makes nothing faster, whatever the limit allows: 5,000 files take as long with 375 MB in all as with 467.
const ENOUGH_BYTES = 175_000_000
const ENOUGH_BYTES_A_WORKER = 100_000_000
// What a fold in the middle of a run takes: the segments that wait, and the merge of them.
const FOLD_BYTES = 80_000_000

// Read within a second: which file comes first does not matter, when the last one ends does.
const SMALL_BYTES = 1 << 20

export type ReadReport = { readonly indexed: number; readonly chunks: number }

/** Reads, cuts and commits every file of the plan, batch by batch; a batch is in the index as soon as it is done. */
export async function readFiles(
  context: ReadContext,
  plan: Plan,
  oldIds: ReadonlyMap<string, number>,
): Promise<ReadReport> {
  const { store, pool } = context
  let nextId = store.files.nextId()
  // Ids follow the paths, so that what is read first does not show later; a batch is in their order, too.
  const tasks = plan.read.map((file) => ({ ...file, id: nextId++ }))
  const isSmall = bytesOf(tasks) <= SMALL_BYTES
  const isFirst = oldIds.size === 0 && tasks.length > RECENT_FILES && !isSmall
  const use = isFirst ? { edited: pathsOf(filesNotCommitted(context.root, tasks)), committed: [] } : null
  const batches = inBatches(isSmall ? largestFirst(tasks) : byUse(tasks, use), pool.size)
  // Nothing waits for git: when it has answered, what is not read yet is put in another order.
  if (isFirst) {
    void committedLately(context.root).then((committed) => {
      if (committed.length === 0) return
      const waiting = batches.splice(next).flat()
      batches.push(...inBatches(byUse(waiting, { ...use!, committed }), pool.size))
    })
  }
  const gate = new MemoryGate({
    limitBytes: Math.min(context.memoryLimitBytes, ENOUGH_BYTES + pool.size * ENOUGH_BYTES_A_WORKER),
    residentBytes: () => process.memoryUsage.rss(),
    relieve: () => {
      pool.shrink()
      Bun.gc(true)
    },
  })
  let indexed = 0
  let chunks = 0
  let done = 0
  let next = 0
  // As many batches under way as keep the workers busy: what is parsed and not yet committed stays bounded.
  const lanes = Array.from({ length: Math.min(batches.length, pool.size + 1) }, async () => {
    while (next < batches.length) {
      const batch = batches[next++]!
      await gate.pass(() => readBatch(batch))
      const more = context.afterBatch()
      if (more !== null) await gate.pass(more, FOLD_BYTES)
    }
  })
  await Promise.all(lanes)
  return { indexed, chunks }

  async function readBatch(batch: readonly Task[]): Promise<void> {
    context.check()
    const parsed = await parseOrSkip(context, batch)
    context.check()
    const committed = commitBatch(store, parsed, oldIds)
    indexed += committed.indexed
    chunks += committed.chunks
    done += batch.length
    context.onProgress(done)
  }
}

function inBatches(tasks: readonly Task[], workers: number): Task[][] {
  const batches = batchesOf(tasks, workers)
  for (const batch of batches) batch.sort((a, b) => a.id - b.id)
  return batches
}

function bytesOf(files: readonly FoundFile[]): number {
  return files.reduce((sum, { size }) => sum + size, 0)
}

/** So that no worker is left with a large one at the end. */
function largestFirst(tasks: readonly Task[]): Task[] {
  return tasks.toSorted((one, other) => other.size - one.size)
}

function pathsOf(files: readonly FoundFile[]): ReadonlySet<string> {
  return new Set(files.map(({ path }) => path))
}

/**
 * A batch that killed its worker is tried again in parts: only the file at fault is lost. So is what is left of one
 * that ended early.
 */
async function parseOrSkip(context: ReadContext, files: readonly Task[]): Promise<ParsedBatch> {
  const { pool, root, limits } = context
  try {
    const parsed = await pool.run({ kind: "parse", root, limits, files }, { stallMs: STALL_MS })
    const rest = files.slice(parsed.outcomes.length)
    return rest.length === 0 ? parsed : joined([parsed, await parseOrSkip(context, rest)])
  } catch (error) {
    context.check()
    const [file] = files
    if (files.length > 1) {
      const parts = partsOf(files, error).filter((part) => part.length > 0)
      return joined(await Promise.all(parts.map((part) => parseOrSkip(context, part))))
    }
    const { path, size, mtimeMs } = file!
    return { outcomes: [{ status: "skipped", path, size, mtimeMs, reason: reasonOf(error) }], segments: [] }
  }
}

/** Of one that stalled it is known which file it was at. */
function partsOf(files: readonly Task[], error: unknown): (readonly Task[])[] {
  const [from, to] =
    error instanceof StallError ? [error.done, error.done + 1] : [files.length >> 1, files.length >> 1]
  return [files.slice(0, from), files.slice(from, to), files.slice(to)]
}

function reasonOf(error: unknown): string {
  if (error instanceof StallError) return "too slow"
  return error instanceof Error && error.message !== "" ? "parser failed" : "unreadable"
}

function joined(parts: readonly ParsedBatch[]): ParsedBatch {
  return { outcomes: parts.flatMap((p) => p.outcomes), segments: parts.flatMap((p) => p.segments) }
}
