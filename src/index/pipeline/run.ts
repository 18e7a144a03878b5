/**
 * An index run: `runIndex` makes the index match a scan. In order: compare the scan with the indexed files and plan
 * what to read and remove; record that a run has begun and remove deleted files; read the changed files
 * (read-files.ts), with merges in between if the run is long; merge keyword segments, compute ranks and read git's
 * history; embed; record that the run is complete. If the process is killed, the next run continues with the files that
 * are missing.
 */

import { rmSync } from "node:fs"
import { join } from "node:path"
import {
  AmanError,
  type Config,
  compareTexts,
  FILE_FLAG,
  log,
  type PhaseTimes,
  residentBytes,
} from "../../base/index.ts"
import {
  DEFAULT_PARSE_OPTIONS,
  grammarPackVersions,
  languageOf,
  NO_MEMORY,
  refreshGrammarPacks,
} from "../../parse/index.ts"
import {
  type KnownFile,
  type LeaderLock,
  type SpaceRow,
  type Store,
  sweepDerived,
} from "../../store/index.ts"
import { contentHash } from "../../text/index.ts"
import type { ChangeScan } from "../changes/detect-changes.ts"
import { createStaticEmbedder } from "../embed/static.ts"
import type { EmbeddableFile } from "../embedding/embed-batch.ts"
import { refreshHistory } from "../history/commits.ts"
import { INDEX_VERSION, readState, writeState } from "../index-state.ts"
import { embeddedFiles } from "../vector/set.ts"
import { fileDivider } from "./divide-files.ts"
import { bytesLeft, memoryPlan } from "./memory-plan.ts"
import {
  addPhaseTimes,
  batchesOf,
  countPaths,
  documentReader,
  type FoundFile,
  type Plan,
  plan,
  readFiles,
  releaseMemory,
} from "./read-files.ts"
import type { EmbedWork, WorkerPool } from "./worker-pool.ts"

type RunPhase = "parse" | "merge" | "embed" | "link" | "send"

export type RunContext = {
  readonly root: string
  readonly config: Config
  readonly store: Store
  readonly lead: LeaderLock
  readonly pool: () => WorkerPool
  readonly signal?: AbortSignal | undefined
  readonly onProgress: (phase: RunPhase, done: number, total: number) => void
  /** Called once the keyword index covers all files. */
  readonly onKeywordReady: () => void
  readonly now: () => number
}

export type RunReport = {
  readonly changed: number
  readonly removed: number
  /**
   * Time for each phase. Times of threads that work side by side are added, and merging, ranking and embedding overlap, so
   * that the sum can exceed the duration of the run.
   */
  readonly times: PhaseTimes
}

const PARSE_TIMEOUT_MS = 5_000
// After reading this many files, each parser holds about 100 MB. The workers are then ended, so that merging can use
// the memory.
const MANY_FILES = 2_000

/**
 * Updates the index to match a scan: reads the changed files, merges keyword segments, computes ranks, and embeds. Only
 * the leader may call this.
 */
export async function runIndex(context: RunContext, scan: ChangeScan): Promise<RunReport> {
  const { store, config } = context
  const check = () => throwIfEnded(context)
  const known = knownFiles(context, scan)
  const todo = withoutSkipped(
    store,
    isUsable(context),
    plan(known, scan.since?.changed ?? scan.result().files),
  )
  if (todo.read.length + todo.remove.length === 0 && isUsable(context)) {
    storeSkipped(store, scan)
    await rankIfDue(context, check)
    await refreshHistory(context.root, store, check)
    return { changed: 0, removed: 0, times: {} }
  }
  begin(context, scan, todo, known)
  const oldIds = new Map(known.map((file) => [file[0], file[1]]))
  const wasShort = hasMoreMemory(context)
  const grammars = grammarPackVersions()
  const { indexed, isShortOfMemory, times } = await readChanged(context, check, todo, oldIds)
  if (isShortOfMemory) writeState(store, { shortOfMemoryAt: config.performance.memoryLimitBytes })
  else if (wasShort) writeState(store, { shortOfMemoryAt: 0 })
  if (scan.since === null && changedGrammars(store).size > 0) writeState(store, { grammars })
  const { startBytes } = memoryPlan(config.performance.memoryLimitBytes, config.index.workers)
  if (todo.read.length > MANY_FILES || residentBytes() > startBytes) await releaseMemory(context.pool())
  // Queries can use the delta segments as they are; merging only turns them into one file.
  context.onKeywordReady()
  const later: Record<string, number> = {}
  const timed = (phase: string, work: () => Promise<void>) => async () => {
    const started = performance.now()
    await work()
    later[phase] = performance.now() - started
  }
  const others = [
    timed("merge", () => mergeKeywordIfDue(context, check)),
    timed("rank", () => rankIfDue(context, check)),
    timed("history", () => refreshHistory(context.root, store, check)),
  ]
  // Each of these steps takes about as much memory as the index is large, so in a large project they run one after the
  // other.
  if (isLarge(store)) for (const other of others.splice(0)) await other()
  await timed("vectors", () => embedFiles(context, check, others))()
  finish(context, scan)
  return { changed: indexed, removed: todo.remove.length, times: addPhaseTimes([times, later]) }
}

/**
 * True when the last run completed with the same chunking options and enough memory. Its snapshot and hashes are then
 * valid.
 */
export function isUsable({ store, config }: Pick<RunContext, "store" | "config">): boolean {
  const { state, shape } = readState(store)
  return (
    state === "ready" &&
    shape === shapeOf(config) &&
    !hasMoreMemory({ store, config }) &&
    changedGrammars(store).size === 0
  )
}

/** Ids of the languages whose grammar the user has added, replaced or removed since the files were read. */
function changedGrammars(store: Store): ReadonlySet<string> {
  refreshGrammarPacks()
  const [before, now] = [new Set(readState(store).grammars), new Set(grammarPackVersions())]
  return new Set([...before.symmetricDifference(now)].map((version) => version.replace(/@.*$/, "")))
}

/** True when files lacked memory in the last run and the memory limit is higher now. */
function hasMoreMemory({ store, config }: Pick<RunContext, "store" | "config">): boolean {
  const { shortOfMemoryAt } = readState(store)
  return shortOfMemoryAt > 0 && config.performance.memoryLimitBytes > shortOfMemoryAt
}

function throwIfEnded({ signal, lead, store }: RunContext): void {
  if (signal?.aborted) {
    throw new AmanError("INTERRUPTED", "indexing was interrupted", {
      hint: "finished work is kept; run: aman index",
    })
  }
  if (!lead.held || !store.isInPlace) {
    throw new AmanError("INDEX_BUSY", "the index or its lock file was replaced while being written", {
      hint: "run: aman index",
    })
  }
}

/** The options that determine the chunks and their vectors, as one text. When it differs, files are indexed again. */
function shapeOf(config: Config): string {
  const { maxFileBytes } = config.index
  const { chunkTokens, mergeTokens } = DEFAULT_PARSE_OPTIONS
  const { program, extensions } = config.chunker
  const chunker = program === "" ? "" : `:${contentHash(JSON.stringify([program, extensions]))}`
  return `${INDEX_VERSION}:${chunkTokens}:${mergeTokens}:${maxFileBytes}:aman512${chunker}`
}

/**
 * True if these settings can continue an index of this shape, because they would cut its files into the same chunks. A
 * lower size limit for files in that index is no obstacle: the files above it are read again.
 */
export function isSameShape(shape: string, config: Config): boolean {
  const [theirs, ours] = [shape.split(":"), shapeOf(config).split(":")]
  const areOthersEqual =
    theirs.length === ours.length && ours.every((part, at) => at === 3 || theirs[at] === part)
  return areOthersEqual && Number(theirs[3]) <= config.index.maxFileBytes
}

/**
 * Prepares an index that another machine made of the same repository (see `isSameShape`). The next run compares the
 * content of every file with it, because sizes and times of files differ from machine to machine.
 */
export function adoptIndex({ store, config }: Pick<RunContext, "store" | "config">): void {
  store.transaction(() => {
    store.snapshot.clear()
    store.skipped.clear()
    writeState(store, { shape: shapeOf(config), ahead: [], watchFailure: null })
  })
}

/** The versions in the index of the files that the scan covers. */
function knownFiles(context: RunContext, scan: ChangeScan): KnownFile[] {
  const { store } = context
  if (scan.since === null) {
    const { shape, shapedFrom } = readState(store)
    const from = shape === shapeOf(context.config) ? shapedFrom : Number.POSITIVE_INFINITY
    const again = new Set(hasMoreMemory(context) ? store.files.degradedBy(NO_MEMORY) : [])
    const languages = changedGrammars(store)
    for (const id of languages.size > 0 ? store.files.inLanguages([...languages]) : []) again.add(id)
    const isAgain = ([path, id]: KnownFile) =>
      id < from || again.has(id) || (languages.size > 0 && mayBeIn(languages, path))
    return store.files.known().map((file) => (isAgain(file) ? forgetHash(file) : file))
  }
  const paths = [...scan.since.changed.map((file) => file.path), ...scan.since.removed]
  return paths.flatMap((path) => {
    const row = store.files.byPath(path)
    return row === null ? [] : [[row.path, row.id, row.size, row.mtimeMs, row.hash, row.flags] as const]
  })
}

/** True if a file may be in one of the languages, judged by its name. A name without a dot may be in any language. */
function mayBeIn(languages: ReadonlySet<string>, path: string): boolean {
  return languages.has(languageOf(path, "").id) || !path.slice(path.lastIndexOf("/") + 1).includes(".")
}

/** Clears size, time and hash, so that the file is chunked again even if its content is the same. */
function forgetHash([path, id]: KnownFile): KnownFile {
  return [path, id, 0, 0, "", 0]
}

/**
 * Called when no indexed file changed. Stores the counts of skipped files and the snapshot, and removes the records of
 * skipped files that were deleted.
 */
function storeSkipped(store: Store, scan: ChangeScan): void {
  const { since, skipped, snapshot, total, isWorthKeeping } = scan
  if (since === null) return
  if (since.removed.length > 0) store.skipped.remove(since.removed)
  const state = readState(store)
  const isSame = state.total === total && JSON.stringify(state.skipped) === JSON.stringify(skipped)
  const hasNewSnapshot = !isSame || isWorthKeeping || since.changed.length + since.removed.length > 0
  if (snapshot !== null && hasNewSnapshot) {
    store.snapshot.set(snapshot)
    if (state.ahead.length > 0) writeState(store, { ahead: [] })
  }
  if (!isSame) writeState(store, { skipped, total })
}

/** Removes from the plan the files that an earlier run read and skipped, and that have not changed since. */
function withoutSkipped(store: Store, usable: boolean, todo: Plan): Plan {
  if (!usable) return todo
  const skipped = new Map(store.skipped.all().map((row) => [row.path, row]))
  if (skipped.size === 0) return todo
  const read = todo.read.filter((file) => {
    const row = skipped.get(file.path)
    if (row?.reason === "unreadable" || isDeniedGenerated(row?.reason, file)) return true
    return row === undefined || row.size !== file.size || row.mtimeMs !== file.mtimeMs
  })
  return { ...todo, read }
}

/** True when the file was skipped as generated but `.gitattributes` now says that it is not. */
function isDeniedGenerated(reason: string | undefined, { attributeFlags = 0 }: FoundFile): boolean {
  return (
    (reason === "generated" || reason === "minified") && (attributeFlags & FILE_FLAG.deniedGenerated) !== 0
  )
}

function begin(
  { store, config }: RunContext,
  scan: ChangeScan,
  todo: Plan,
  known: readonly KnownFile[],
): void {
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
      skipped: scan.skipped,
      total: scan.total,
      shape: shapeOf(config),
      unranked: readState(store).unranked + todo.read.length + todo.remove.length,
      ...(isReshaped ? { shapedFrom: store.files.nextId() } : {}),
      // After a scan of a few paths, the index stays complete, and its snapshot stays valid except for these paths.
      ...(scan.snapshot === null ? { ahead: withPathsAhead(store, scan) } : { state: "indexing" }),
    })
    if (scan.snapshot !== null) store.snapshot.clear()
    store.removeFiles(todo.remove)
    store.skipped.remove(scan.since?.removed ?? skippedAndGone(store, scan))
  })
}

function withPathsAhead(store: Store, { since }: ChangeScan): string[] {
  const paths = new Set(readState(store).ahead)
  for (const { path } of since?.changed ?? []) paths.add(path)
  for (const path of since?.removed ?? []) paths.add(path)
  return [...paths]
}

/** Files that an earlier, incomplete run skipped and that no longer exist. */
function skippedAndGone(store: Store, scan: ChangeScan): string[] {
  const present = new Set(scan.result().files.map(({ path }) => path))
  return store.skipped.all().flatMap(({ path }) => (present.has(path) ? [] : [path]))
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
        parseTimeoutMs: PARSE_TIMEOUT_MS,
      },
      check,
      readDocuments: documentReader({ root: context.root, config, check }),
      divide: fileDivider({
        root: context.root,
        chunker: config.chunker,
        maxFileBytes: config.index.maxFileBytes,
      }),
      onProgress: (done) => context.onProgress("parse", done, total),
      afterBatch: mergerWhileReading(context, check),
    },
    todo,
    oldIds,
  )
}

function finish({ store, config, now }: RunContext, scan: ChangeScan): void {
  store.transaction(() => {
    const indexedAt = new Date(now()).toISOString()
    if (scan.snapshot !== null) store.snapshot.set(scan.snapshot)
    writeState(store, { state: "ready", indexedAt, ...(scan.snapshot === null ? {} : { ahead: [] }) })
  })
  sweepDerived(config.index.dir, store.derived.all())
  // Done only after a full scan. The update of a few files can stay in the write-ahead log; SQLite moves its pages into
  // the database by itself once there are many.
  if (scan.snapshot !== null) store.checkpoint()
}

// Deltas are merged when there are more of them than this, or when they are more than a tenth of the index.
const MAX_DELTAS = 32
const DELTA_SHARE = 0.1
// Maximum number of deltas before a merge in the middle of a long run. Unmerged segments are in memory while they are
// being merged.
const MAX_DELTAS_WHILE_READING = 64

/** Merges the delta keyword segments into the next generation when there are enough of them. */
export async function mergeKeywordIfDue(context: RunContext, check: () => void): Promise<void> {
  const { store } = context
  const pending = store.segments.pending()
  const parts = store.derived.of("keyword").length
  const share = store.files.totals().chunks * DELTA_SHARE
  const due = parts === 0 || pending.segments > MAX_DELTAS || pending.chunks > share
  if (parts < 2 && (pending.segments === 0 || !due)) return
  context.onProgress("merge", 0, 1)
  await mergeKeyword(context, check, true)
  context.onProgress("merge", 1, 1)
}

/**
 * Returns a function to call after every batch. Usually it returns null. When there are many delta segments, it returns
 * a merge to run, which turns them into one more part of the base, so that a long run never has many segments. Merging
 * the base each time as well would write the whole index ten times and hold it in memory beside the parsers.
 */
export function mergerWhileReading(
  context: RunContext,
  check: () => void,
): () => (() => Promise<void>) | null {
  let isMerging = false
  return () => {
    if (isMerging || context.store.segments.ids().length < MAX_DELTAS_WHILE_READING) return null
    isMerging = true
    return async () => {
      try {
        await mergeKeyword(context, check, false)
      } finally {
        isMerging = false
      }
    }
  }
}

async function mergeKeyword(
  { store, config, pool }: RunContext,
  check: () => void,
  isWhole: boolean,
): Promise<void> {
  const generation = store.meta.generation() + 1
  const merged = await pool().run(
    { kind: "merge-keyword", folder: config.index.dir, generation, isWhole },
    { isAlone: isLarge(store), isShort: isSmall(store) },
  )
  check()
  store.transaction(() => {
    store.meta.advanceGeneration()
    const kept = isWhole ? [] : store.derived.of("keyword")
    store.derived.replace("keyword", 0, [...kept, merged.row])
    store.segments.removeUpTo(merged.upTo)
    store.tombstones.remove("keyword", 0, merged.dead)
  })
}

const BATCH_FILES = 64
// With more files than this, the vectors are written directly into a new table; as deltas they would be written twice.
const MAX_DELTA_FILES = 512
// Minimum and maximum size, in bytes of source text, of the part of the files that one task embeds. A part smaller than
// `min` is embedded in the time that another worker thread needs to start.
const PART_BYTES = { min: 256 << 10, max: 16 << 20 }
// Unmerged vectors are merged when there are more of them than DELTA_SHARE times the number of chunks, limited to this
// range. Their number is kept small, because they are searched one by one and reloaded after every commit of another
// process.
const MIN_VECTORS = 2_000
const MAX_VECTORS = 8_192

/**
 * Embeds all files that have no vectors yet. Few files are stored as deltas in the database, which are merged into the
 * table of vectors when there are enough of them. In a first run, or for very many files, workers write the vectors to
 * files (parts), which are merged at once. Meanwhile, searches answer without these vectors. `others` is work that runs
 * at the same time; it has ended when this function returns.
 */
async function embedFiles(
  context: RunContext,
  check: Check,
  others: readonly (() => Promise<void>)[] = [],
): Promise<void> {
  const { store, config } = context
  const space = builtInSpace(store, config.index.dir)
  const missing = filesWithout(store, config.index.dir, space)
  const isFirst = store.derived.of("vectors", space.id).length === 0
  const writesParts = isFirst || missing.length > MAX_DELTA_FILES
  const parts = writesParts ? partsOf(missing, space, config.index.workers) : []
  const embed = writesParts
    ? (check: Check) => embedParts(context, check, parts)
    : (check: Check) => embedAsDeltas(context, check, space, missing)
  try {
    await allOf(check, [...others, embed])
    if (writesParts ? missing.length > 0 : isMergeDue(context, space)) {
      await merge(context, check, space, parts)
    }
  } finally {
    for (const { name } of parts) removePart(join(config.index.dir, name))
  }
}

type Check = () => void

/**
 * Removes the file of a part. On Windows this fails while a terminated worker still has it open; it is then removed
 * when the folder is next cleaned up.
 */
function removePart(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch (error) {
    log.debug("a part was left", { path, reason: String(error) })
  }
}

type EmbedPart = { readonly name: string; readonly files: readonly EmbeddableFile[] }

/**
 * Divides the files into parts for the workers. Parts are in path order, so that the resulting table does not depend on
 * the number of threads.
 */
function partsOf(missing: readonly EmbeddableFile[], space: SpaceRow, workers: number): EmbedPart[] {
  return batchesOf(missing, workers, PART_BYTES).map((files, i) => ({
    name: `vectors-${space.id}-part-${i}.tmp`,
    files,
  }))
}

async function embedParts(context: RunContext, check: Check, parts: readonly EmbedPart[]): Promise<void> {
  const total = sum(parts.map(({ files }) => files.length))
  const done = parts.map(() => 0)
  const waiting = parts.entries()
  const lanes = Array.from(
    { length: Math.min(parts.length, context.config.index.workers) },
    () => async (check: Check) => {
      for (const [i, { name, files }] of waiting) {
        check()
        const onProgress = (files: number) => {
          done[i] = files
          context.onProgress("embed", sum(done), total)
        }
        const task = { kind: "embed-part", name, ...workOn(context, files) } as const
        await context.pool().run(task, { onProgress, isShort: isSmall(context.store) })
        onProgress(files.length)
      }
    },
  )
  await allOf(check, lanes)
}

/**
 * Like `Promise.all`, but always waits until all works have ended, so that none of them still runs during later steps.
 * After one work has failed, the `check` function of the others throws the same error, so that they end soon. At the
 * end this function throws it.
 */
async function allOf(check: Check, works: readonly ((check: Check) => Promise<void>)[]): Promise<void> {
  let failed: { readonly of: unknown } | null = null
  const checkAll = () => {
    check()
    if (failed !== null) throw failed.of
  }
  const note = (error: unknown) => {
    failed ??= { of: error }
  }
  await Promise.all(works.map((work) => work(checkAll).catch(note)))
  checkAll()
}

async function embedAsDeltas(
  context: RunContext,
  check: Check,
  space: SpaceRow,
  missing: readonly EmbeddableFile[],
): Promise<void> {
  const { store } = context
  for (let at = 0; at < missing.length; at += BATCH_FILES) {
    context.onProgress("embed", at, missing.length)
    const work = workOn(context, missing.slice(at, at + BATCH_FILES))
    const { vectors } = await context.pool().run({ kind: "embed", ...work })
    check()
    store.transaction(() => store.vectors.add(space.id, vectors))
  }
}

function workOn({ root, config }: RunContext, files: readonly EmbeddableFile[]): EmbedWork {
  return {
    root,
    folder: config.index.dir,
    maxFileBytes: config.index.maxFileBytes,
    files,
  }
}

/** True when enough vectors are unmerged for a merge to be worth its time. */
export function isMergeDue({ store }: RunContext, space: SpaceRow): boolean {
  const waiting = store.vectors.pending(space.id).vectors
  const share = store.files.totals().chunks * DELTA_SHARE
  return waiting > Math.min(MAX_VECTORS, Math.max(MIN_VECTORS, share))
}

/** Merges the unmerged vectors into the space's next generation. */
export function mergeWaiting(context: RunContext, check: Check, space: SpaceRow): Promise<void> {
  return merge(context, check, space, [])
}

/** Merges the unmerged vectors, and the vectors in the files `parts`, into the next generation. */
async function merge(
  context: RunContext,
  check: Check,
  space: SpaceRow,
  parts: readonly EmbedPart[],
): Promise<void> {
  const { store, config } = context
  const merged = await context.pool().run(
    {
      kind: "merge-vectors",
      folder: config.index.dir,
      generation: store.meta.generation() + 1,
      spaceId: space.id,
      memoryLimitBytes: bytesLeft(config.performance.memoryLimitBytes),
      threads: config.index.workers,
      parts: parts.map(({ name }) => name),
    },
    {
      isAlone: isLarge(store),
      onProgress: (done, total = done) => context.onProgress("link", done, total),
    },
  )
  check()
  store.transaction(() => {
    store.meta.advanceGeneration()
    store.derived.replace("vectors", space.id, merged.rows)
    store.vectors.remove(space.id, merged.files)
    store.tombstones.remove("vectors", space.id, merged.dead)
  })
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/** Indexed files without vectors in a space, in path order. */
function filesWithout(store: Store, folder: string, space: SpaceRow): EmbeddableFile[] {
  const present = embeddedFiles(store, folder, space)
  const missing = store.files.ids().filter((id) => !present.has(id))
  return store.files.named(missing).sort((a, b) => compareTexts(a.path, b.path))
}

/**
 * Returns the row of a built-in space. If the space is new, the row is inserted and the vectors of other built-in
 * spaces are dropped.
 */
function builtInSpace(store: Store, folder: string): SpaceRow {
  const { space } = createStaticEmbedder()
  const found = store.spaces.find(space)
  if (found !== null) return found
  const old = store.spaces.all().filter(({ provider }) => provider === space.provider)
  store.transaction(() => {
    for (const { id } of old) store.removeSpace(id)
    store.spaces.ensure(space)
  })
  if (old.length > 0) sweepDerived(folder, store.derived.all())
  return store.spaces.find(space)!
}

/**
 * In a project with at most this many files, ranks are recomputed after every change, because this takes only a few
 * milliseconds.
 */
const SMALL_FILES = 1000
/**
 * In a larger project, ranks are recomputed once this share of its files has changed, because one edited file changes
 * no rank noticeably.
 */
const DUE_SHARE = 0.01

/** Recomputes the ranks of files and names when enough files have changed since they were computed. */
export async function rankIfDue({ store, config, pool }: RunContext, check: () => void): Promise<void> {
  if (!isRankDue(store)) return
  const task = { kind: "rank", folder: config.index.dir } as const
  const { files, names } = await pool().run(task, { isAlone: isLarge(store), isShort: isSmall(store) })
  check()
  store.transaction(() => {
    store.centrality.replace(files, names)
    writeState(store, { unranked: 0 })
  })
}

export function isRankDue(store: Store): boolean {
  const { unranked } = readState(store)
  if (unranked === 0) return false
  const all = store.files.totals().files
  return all <= SMALL_FILES || unranked >= all * DUE_SHARE
}

// Number of chunks from which a new worker is started for a merge. With fewer chunks, starting it (60 ms) costs more
// than the memory that an old worker occupies.
const LARGE_CHUNKS = 15_000

// Up to this number of chunks each task after reading takes less time than starting a worker for it.
const SMALL_CHUNKS = 500

function isSmall(store: Store): boolean {
  return store.files.totals().chunks <= SMALL_CHUNKS
}

/** True for an index so large that a merge should run in a new worker, which is ended after it. */
function isLarge(store: Store): boolean {
  return store.files.totals().chunks > LARGE_CHUNKS
}
