import { AmanError } from "../base/errors.ts"
import { FILE_FLAG } from "../base/file-flag.ts"
import type { Config } from "../config/load.ts"
import { sweepDerived } from "../store/derived-files.ts"
import type { KnownFile } from "../store/file-rows.ts"
import type { Lead } from "../store/lead.ts"
import type { Store } from "../store/store.ts"
import { countPaths } from "./count-paths.ts"
import { embedFiles } from "./embed-files.ts"
import { folderWhileReading, foldKeywordIfDue } from "./fold-if-due.ts"
import { INDEX_VERSION, readState, writeState } from "./index-state.ts"
import { isLarge } from "./is-large.ts"
import type { Look } from "./look.ts"
import { type FoundFile, type Plan, plan } from "./plan.ts"
import { rankIfDue } from "./rank-if-due.ts"
import { readFiles } from "./read-files.ts"
import type { WorkerPool } from "./worker-pool.ts"

export type RunPhase = "parse" | "fold" | "embed" | "link" | "send"

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

export type RunReport = { readonly changed: number; readonly removed: number }

const PARSE_TIMEOUT_MS = 5_000
// After so many files the parsers hold a hundred megabytes each, which folding can use.
const MANY_FILES = 2_000

/** Brings the index in line with what a look found: reads what changed, folds, embeds. Only the leader may. */
export async function runIndex(context: RunContext, look: Look): Promise<RunReport> {
  const { store } = context
  const check = () => mayGoOn(context)
  const known = knownFiles(context, look)
  const todo = withoutSkipped(store, isUsable(context), plan(known, look.since?.changed ?? look.scan().files))
  if (todo.read.length + todo.remove.length === 0 && isUsable(context)) {
    noteWhatWasLeftOut(store, look)
    await rankIfDue(context, check)
    return { changed: 0, removed: 0 }
  }
  begin(context, look, todo, known)
  const oldIds = new Map(known.map((file) => [file[0], file[1]]))
  const { indexed } = await readChanged(context, check, todo, oldIds)
  if (todo.read.length > MANY_FILES) {
    context.pool().shrink()
    Bun.gc(true)
  }
  // Segments answer as they are; folding makes them one.
  context.onKeywordReady()
  const others = [() => foldKeywordIfDue(context, check), () => rankIfDue(context, check)]
  // Each holds as much memory as the index is large.
  if (isLarge(store)) for (const other of others.splice(0)) await other()
  await embedFiles(context, check, others)
  finish(context, look)
  return { changed: indexed, removed: todo.remove.length }
}

/** True where the last run completed and cut files as this one would: then its snapshot and hashes count. */
export function isUsable({ store, config }: Pick<RunContext, "store" | "config">): boolean {
  const { state, shape } = readState(store)
  return state === "ready" && shape === shapeOf(config)
}

function mayGoOn({ signal, lead }: RunContext): void {
  if (signal?.aborted) {
    throw new AmanError("INTERRUPTED", "indexing was interrupted", {
      hint: "what is done is kept; run: aman index",
    })
  }
  if (!lead.held) {
    throw new AmanError("INDEX_BUSY", "the index's lock file was removed while it was being written", {
      hint: "run: aman index",
    })
  }
}

/** Everything that decides what a chunk is, and whose vector it has; another shape means another index. */
function shapeOf(config: Config): string {
  const { chunkTokens, mergeTokens, maxFileBytes } = config.index
  return `${INDEX_VERSION}:${chunkTokens}:${mergeTokens}:${maxFileBytes}:${config.embeddings.static}`
}

/** The versions in the index that the look says something about. */
function knownFiles(context: RunContext, look: Look): KnownFile[] {
  const { store } = context
  if (look.since === null) {
    const { shape, shapedFrom } = readState(store)
    const from = shape === shapeOf(context.config) ? shapedFrom : Number.POSITIVE_INFINITY
    return store.files.known().map((file) => (file[1] < from ? forgetHash(file) : file))
  }
  const paths = [...look.since.changed.map((file) => file.path), ...look.since.removed]
  return paths.flatMap((path) => {
    const row = store.files.byPath(path)
    return row === null ? [] : [[row.path, row.id, row.size, row.mtimeMs, row.hash, row.flags] as const]
  })
}

/** So that it is cut again though its bytes are the same. */
function forgetHash([path, id]: KnownFile): KnownFile {
  return [path, id, 0, 0, "", 0]
}

/** What is left out may change though nothing indexed does: counts follow, and what is gone is forgotten. */
function noteWhatWasLeftOut(store: Store, look: Look): void {
  const { since, skipped, snapshot, total, isWorthKeeping } = look
  if (since === null) return
  if (since.removed.length > 0) store.skipped.remove(since.removed)
  const state = readState(store)
  const isSame = state.total === total && JSON.stringify(state.skipped) === JSON.stringify(skipped)
  const isOther = !isSame || isWorthKeeping || since.changed.length + since.removed.length > 0
  if (snapshot !== null && isOther) {
    store.snapshot.set(snapshot)
    if (state.ahead.length > 0) writeState(store, { ahead: [] })
  }
  if (!isSame) writeState(store, { skipped, total })
}

/** Files that were opened before and left out, and are the same still. */
function withoutSkipped(store: Store, usable: boolean, todo: Plan): Plan {
  if (!usable) return todo
  const skipped = new Map(store.skipped.all().map((row) => [row.path, row]))
  if (skipped.size === 0) return todo
  const read = todo.read.filter((file) => {
    const row = skipped.get(file.path)
    if (row?.reason === "unreadable" || isDenied(row?.reason, file)) return true
    return row === undefined || row.size !== file.size || row.mtimeMs !== file.mtimeMs
  })
  return { ...todo, read }
}

/** Left out for what it looks like, and `.gitattributes` says by now that it is not. */
function isDenied(reason: string | undefined, { said = 0 }: FoundFile): boolean {
  return (reason === "generated" || reason === "minified") && (said & FILE_FLAG.deniedGenerated) !== 0
}

function begin({ store, config }: RunContext, look: Look, todo: Plan, known: readonly KnownFile[]): void {
  const gone = new Set(todo.remove)
  store.transaction(() => {
    const isReshaped = readState(store).shape !== shapeOf(config)
    if (isReshaped) {
      store.skipped.clear()
      store.pathWords.clear()
      countPaths(
        store,
        known.map(([path]) => path),
        1,
      )
    }
    countPaths(
      store,
      known.flatMap(([path, id]) => (gone.has(id) ? [path] : [])),
      -1,
    )
    writeState(store, {
      skipped: look.skipped,
      total: look.total,
      shape: shapeOf(config),
      unranked: readState(store).unranked + todo.read.length + todo.remove.length,
      ...(isReshaped ? { shapedFrom: store.files.nextId() } : {}),
      // After a look at a few paths the index stays whole, and the snapshot stands but for these.
      ...(look.snapshot === null ? { ahead: aheadWith(store, look) } : { state: "indexing" }),
    })
    if (look.snapshot !== null) store.snapshot.clear()
    store.removeFiles(todo.remove)
    store.skipped.remove(look.since?.removed ?? skippedAndGone(store, look))
  })
}

function aheadWith(store: Store, { since }: Look): string[] {
  const paths = new Set(readState(store).ahead)
  for (const { path } of since?.changed ?? []) paths.add(path)
  for (const path of since?.removed ?? []) paths.add(path)
  return [...paths]
}

/** Files that were left out by a run that did not complete, and are no more. */
function skippedAndGone(store: Store, look: Look): string[] {
  const there = new Set(look.scan().files.map(({ path }) => path))
  return store.skipped.all().flatMap(({ path }) => (there.has(path) ? [] : [path]))
}

function readChanged(
  context: RunContext,
  check: () => void,
  todo: Plan,
  oldIds: ReadonlyMap<string, number>,
) {
  const { config } = context
  const total = todo.read.length
  context.onProgress("parse", 0, total)
  return readFiles(
    {
      store: context.store,
      pool: context.pool(),
      root: context.root,
      memoryLimitBytes: config.performance.memoryLimitBytes,
      limits: {
        maxFileBytes: config.index.maxFileBytes,
        chunkTokens: config.index.chunkTokens,
        mergeTokens: config.index.mergeTokens,
        parseTimeoutMs: PARSE_TIMEOUT_MS,
      },
      check,
      onProgress: (done) => context.onProgress("parse", done, total),
      afterBatch: folderWhileReading(context, check),
    },
    todo,
    oldIds,
  )
}

function finish({ store, config, now }: RunContext, look: Look): void {
  store.transaction(() => {
    const indexedAt = new Date(now()).toISOString()
    if (look.snapshot !== null) store.snapshot.set(look.snapshot)
    writeState(store, { state: "ready", indexedAt, ...(look.snapshot === null ? {} : { ahead: [] }) })
  })
  sweepDerived(config.index.dir, store.derived.all())
  // A few files wait in the log as well as anywhere; SQLite itself moves them when they are many.
  if (look.snapshot !== null) store.checkpoint()
}
