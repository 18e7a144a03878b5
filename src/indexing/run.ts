import { AmanError } from "../base/errors.ts"
import type { Config } from "../config/load.ts"
import { sweepDerived } from "../store/derived-files.ts"
import type { KnownFile } from "../store/files.ts"
import type { SkippedRow } from "../store/skipped.ts"
import type { Store } from "../store/store.ts"
import { embedFiles } from "./embed-files.ts"
import { INDEX_VERSION, type IndexState, readState, writeState } from "./index-state.ts"
import type { Lead } from "./lead.ts"
import { type FoundFile, plan } from "./plan.ts"
import { readFiles } from "./read-files.ts"
import type { WorkerPool } from "./worker-pool.ts"

export type RunPhase = "parse" | "fold" | "embed"

export type RunContext = {
  readonly root: string
  readonly config: Config
  readonly store: Store
  readonly lead: Lead
  readonly pool: () => WorkerPool
  readonly signal?: AbortSignal | undefined
  readonly onProgress: (phase: RunPhase, done: number, total: number) => void
  /** Called once keyword search sees everything. */
  readonly onKeywordReady: () => void
  readonly now: () => number
}

/** The project as it is on disk, and what is to be remembered of it. */
export type ProjectFiles = {
  readonly files: readonly FoundFile[]
  readonly startedAtMs: number
  readonly summary: Pick<IndexState, "projectTypes" | "sourceFolders" | "skipped">
}

export type RunReport = { readonly changed: number; readonly removed: number }

// Within this of the scan a file may change again without its time moving (coarse clocks of some file systems).
const RACY_MS = 2_000
// Deltas are folded when they are many, or a tenth of the whole (design: "Storage").
const MOST_DELTAS = 32
const DELTA_SHARE = 0.1
const PARSE_TIMEOUT_MS = 5_000

/** Brings the index in line with what a scan found: reads what changed, folds, embeds. Only the leader may. */
export async function runIndex(context: RunContext, scan: ProjectFiles): Promise<RunReport> {
  const { store, config } = context
  const check = () => mayGoOn(context)
  const shape = shapeOf(config)
  const state = readState(store)
  const known = store.files.known()
  const comparable = state.shape === shape ? known : known.map(forgetHash)
  const skipped = state.shape === shape ? store.skipped.all() : []
  const still = new Map(skipped.map((row) => [row.path, row]))
  const found = scan.files.filter((file) => !sameAsSkipped(still, file))
  const todo = plan(comparable, found, { racyAfterMs: state.scannedAtMs - RACY_MS })
  if (todo.read.length === 0 && todo.remove.length === 0 && state.state === "ready")
    return finish(context, 0, 0)

  store.transaction(() => {
    writeState(store, {
      ...scan.summary,
      state: "indexing",
      total: scan.files.length,
      scannedAtMs: scan.startedAtMs,
      shape,
    })
    store.removeFiles(todo.remove)
  })
  const oldIds = new Map(known.map((file) => [file[0], file[1]]))
  context.onProgress("parse", 0, todo.read.length)
  const report = await readFiles(
    {
      store,
      pool: context.pool(),
      root: context.root,
      limits: {
        maxFileBytes: config.maxFileBytes,
        chunkTokens: config.chunkTokens,
        mergeTokens: config.mergeTokens,
        parseTimeoutMs: PARSE_TIMEOUT_MS,
      },
      check,
      onProgress: (done) => context.onProgress("parse", done, todo.read.length),
    },
    todo,
    oldIds,
  )
  await foldIfDue(context, check)
  context.onKeywordReady()
  await embedFiles(context, check)
  return finish(context, report.indexed, todo.remove.length)
}

function mayGoOn({ signal, lead }: RunContext): void {
  if (signal?.aborted)
    throw new AmanError("INTERRUPTED", "indexing was interrupted", {
      hint: "what is done is kept; run: aman index",
    })
  if (!lead.held)
    throw new AmanError("INDEX_BUSY", "the index's lock file was removed while it was being written", {
      hint: "run: aman index",
    })
}

/** Everything that decides what a chunk is; another shape means another index. */
function shapeOf(config: Config): string {
  return `${INDEX_VERSION}:${config.chunkTokens}:${config.mergeTokens}:${config.maxFileBytes}`
}

/** So that the plan reads it again whatever its size and time. */
function forgetHash([path, id]: KnownFile): KnownFile {
  return [path, id, -1, 0, ""]
}

function sameAsSkipped(skipped: ReadonlyMap<string, SkippedRow>, file: FoundFile): boolean {
  const row = skipped.get(file.path)
  return row !== undefined && row.size === file.size && row.mtimeMs === file.mtimeMs
}

async function foldIfDue(context: RunContext, check: () => void): Promise<void> {
  const { store, config } = context
  const pending = store.segments.pending()
  const base = store.derived.of("keyword")
  const { chunks } = store.files.totals()
  const due = base.length === 0 || pending.segments > MOST_DELTAS || pending.chunks > chunks * DELTA_SHARE
  if (pending.segments === 0 || !due) return
  context.onProgress("fold", 0, 1)
  const folded = await context.pool().run({
    kind: "fold-keyword",
    folder: config.indexDir,
    generation: store.meta.generation() + 1,
  })
  check()
  store.transaction(() => {
    store.meta.advanceGeneration()
    store.derived.replace("keyword", 0, [folded.row])
    store.segments.removeUpTo(folded.upTo)
    store.tombstones.remove("keyword", 0, folded.dead)
  })
  context.onProgress("fold", 1, 1)
}

function finish(context: RunContext, changed: number, removed: number): RunReport {
  const { store, config } = context
  if (changed + removed > 0 || readState(store).state !== "ready") {
    writeState(store, { state: "ready", indexedAt: new Date(context.now()).toISOString() })
    sweepDerived(config.indexDir, store.derived.all())
    store.checkpoint()
  }
  return { changed, removed }
}
