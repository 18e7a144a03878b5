/**
 * Reads the files of an index run. In order: give each file an id; put the files into batches, those that are likely to
 * be queried first; extract the texts of documents; ask the user's chunker program, if there is one; parse the batches in workers, a few at a time and as far as memory allows (`MemoryGate`); commit
 * each parsed batch in one transaction. A batch that kills its worker is divided, until the file that causes it is
 * found and skipped.
 */

import { AmanError, ATTRIBUTE_FLAGS, type Config, type PhaseTimes, residentBytes } from "../../base/index.ts"
import { contentKindOf, languageOf, pathFlags } from "../../parse/index.ts"
import type { KnownFile, PathWordCount, Store } from "../../store/index.ts"
import { type DocumentBudget, isDocument, pathWords, readDocument } from "../../text/index.ts"
import { filesNotCommitted, LARGE_BYTES, recentlyCommitted } from "../../tree/index.ts"
import { leastLimitBytes, memoryPlan, memoryReturned, timesLarge, watchMemory } from "./memory-plan.ts"
import {
  EndedError,
  type FileOutcome,
  type FileTask,
  MEMORY_REASON,
  type ParsedBatch,
  type ReadLimits,
  type WorkerPool,
} from "./worker-pool.ts"

type ReadContext = {
  readonly store: Store
  readonly pool: WorkerPool
  readonly root: string
  readonly limits: Omit<ReadLimits, "maxParserBytes" | "pauseBytes">
  /** Memory limit of the process in bytes. A file that cannot be read within it is skipped. */
  readonly memoryLimitBytes: number
  /** Throws when the run must end, because it was cancelled or this process is no longer the leader. */
  readonly check: () => void
  readonly onProgress: (files: number) => void
  /** Extracts the texts of documents (`documentReader`). */
  readonly readDocuments: (files: readonly Task[]) => Promise<readonly Task[]>
  /** Has the user's chunker program divide files (`fileDivider`). */
  readonly divide: (files: readonly Task[]) => Promise<readonly Task[]>
  /** Called after every batch. Returns work to do before the next batch, or null if there is none. */
  readonly afterBatch: () => (() => Promise<void>) | null
}

/**
 * An index run is refused for lack of memory only if it has more files than this. With fewer files, most of the memory
 * that is in use was taken by the process before the run, so refusing the run would not help.
 */
const MANY_FILES = 2_000

type Task = FileTask & FoundFile

/** `isAlone`: no other work runs beside the batch. */
type Batch = { readonly files: readonly Task[]; readonly isAlone: boolean }

// A worker that reports nothing for this long is ended. Parsing a file stops by itself after five seconds; this limit
// covers code that cannot be interrupted.
const STALL_MS = 40_000

// Memory that a merge in the middle of a run takes, for the delta segments and their merged file.
const MERGE_BYTES = 80_000_000

// Memory for the detector of encodings in each thread that loads it.
const DETECTOR_BYTES = 100_000_000

// For a large file, memory is reserved, because parsing takes up to 65 times the size of a file.
const BYTES_PER_LARGE_BYTE = 64

// Files with fewer bytes in total than this are read within a second. Their order then does not matter for queries, so
// the largest come first.
const SMALL_BYTES = 1 << 20

type ReadReport = {
  readonly indexed: number
  readonly chunks: number
  /** True when a file was skipped, or read without its syntax, because the memory limit did not suffice. */
  readonly isShortOfMemory: boolean
  /** Times of the phases of all threads, and of writing ("write"). */
  readonly times: PhaseTimes
}

/**
 * Reads, chunks and commits every file of the plan, batch by batch. The files of a batch are searchable once it is
 * committed.
 */
export async function readFiles(
  context: ReadContext,
  plan: Plan,
  oldIds: ReadonlyMap<string, number>,
): Promise<ReadReport> {
  const { store, pool } = context
  let nextId = store.files.nextId()
  // Ids are assigned in path order, so that the index does not depend on the order of reading. The files of each batch
  // are in id order, too.
  const tasks = plan.read.map((file) => ({ ...file, id: nextId++ }))
  const isSmall = totalBytes(tasks) <= SMALL_BYTES
  const isFirst = oldIds.size === 0 && tasks.length > MAX_RECENT_FILES && !isSmall
  const recent = isFirst ? { edited: pathsOf(filesNotCommitted(context.root, tasks)), committed: [] } : null
  const batches = inBatches(isSmall ? largestFirst(tasks) : priorityOrder(tasks, recent), pool.size)
  // Reading starts before git has listed the recent files. Once it has, the files that are not read yet are reordered.
  if (isFirst) {
    void recentlyCommitted(context.root).then((committed) => {
      if (committed.length === 0) return
      const waiting = batches.splice(next)
      const files = waiting.flatMap((batch) => (batch.isAlone ? [] : batch.files))
      const alone = waiting.filter(({ isAlone }) => isAlone)
      batches.push(...alone, ...inBatches(priorityOrder(files, { ...recent!, committed }), pool.size))
    })
  }
  const { startBytes, pauseBytes, endBytes, maxParserBytes } = memoryPlan(context.memoryLimitBytes, pool.size)
  const limits = { ...context.limits, pauseBytes, maxParserBytes }
  if (tasks.length > MANY_FILES && residentBytes() > startBytes) {
    await releaseMemory(pool)
    requireMemory(tasks.length, context.memoryLimitBytes)
  }
  const gate = new MemoryGate({ startBytes, residentBytes, releaseMemory: () => releaseMemory(pool) })
  using _watch = watchMemory(endBytes, () => pool.endParsers())
  let indexed = 0
  let chunks = 0
  let isShortOfMemory = false
  let times: PhaseTimes = {}
  let done = 0
  let next = 0
  // One batch more than there are workers is in progress: this keeps the workers busy, and limits how much is parsed
  // but not committed.
  const lanes = Array.from({ length: Math.min(batches.length, pool.size + 1) }, async () => {
    while (next < batches.length) {
      const batch = batches[next++]!
      await gate.pass(() => readBatch(batch), batch.isAlone ? startBytes : moreBytesOf(batch))
      const more = context.afterBatch()
      if (more === null) continue
      const started = performance.now()
      await gate.pass(more, MERGE_BYTES)
      times = addPhaseTimes([times, { merge: performance.now() - started }])
    }
  })
  await Promise.all(lanes)
  return { indexed, chunks, isShortOfMemory, times }

  async function readBatch(batch: Batch): Promise<void> {
    context.check()
    const files = await context.divide(await context.readDocuments(batch.files))
    context.check()
    const { parsed, rest } = await parseOrSkip(context, limits, { ...batch, files })
    context.check()
    batches.splice(next, 0, ...rest)
    const undecided = new Set(parsed.outcomes.flatMap((o) => (o.status === "undecided" ? [o.path] : [])))
    const toGuess = files.flatMap((file) =>
      undecided.has(file.path) ? [{ ...file, mayGuess: true as const }] : [],
    )
    if (toGuess.length > 0) batches.push({ files: toGuess, isAlone: false })
    isShortOfMemory ||= rest.some(({ files }) => files[0]!.isPlain)
    const started = performance.now()
    const committed = commitBatch(store, parsed, oldIds)
    times = addPhaseTimes([times, parsed.times, { write: performance.now() - started }])
    indexed += committed.indexed
    chunks += committed.chunks
    done += parsed.outcomes.length - toGuess.length
    context.onProgress(done)
  }
}

/** Throws MEMORY_LIMIT when the list of files takes so much memory that no parsing thread fits beside it. */
function requireMemory(files: number, limitBytes: number): void {
  const neededBytes = leastLimitBytes()
  if (neededBytes <= limitBytes) return
  const least = `${Math.ceil(neededBytes / 1e6)}MB`
  throw new AmanError("MEMORY_LIMIT", `indexing ${files} files needs a memory limit of at least ${least}`, {
    hint: `set performance.memory_limit (--memory-limit ${least}) or leave out folders (paths.exclude)`,
  })
}

/** Ends idle threads and waits until their memory has been returned to the system. */
export async function releaseMemory(pool: WorkerPool): Promise<void> {
  pool.shrink()
  Bun.gc(true)
  await memoryReturned()
}

function inBatches(tasks: readonly Task[], workers: number): Batch[] {
  return batchesOf(tasks, workers).map((files) => ({
    files: files.sort((a, b) => a.id - b.id),
    isAlone: false,
  }))
}

/** Memory in bytes that a batch takes beyond one of ordinary files. */
function moreBytesOf({ files }: Batch): number {
  const largeBytes = totalBytes(files.filter(({ size }) => size > LARGE_BYTES))
  return largeBytes * BYTES_PER_LARGE_BYTE + (files.some(({ mayGuess }) => mayGuess) ? DETECTOR_BYTES : 0)
}

function totalBytes(files: readonly FoundFile[]): number {
  return files.reduce((sum, { size }) => sum + size, 0)
}

/** Orders files by size, largest first, so that no worker is left with a large file at the end. */
function largestFirst(tasks: readonly Task[]): Task[] {
  return tasks.toSorted((one, other) => other.size - one.size)
}

function pathsOf(files: readonly FoundFile[]): ReadonlySet<string> {
  return new Set(files.map(({ path }) => path))
}

/** The parsed files of a batch, and batches with the files that still have to be read. */
type BatchProgress = { readonly parsed: ParsedBatch; readonly rest: readonly Batch[] }

/**
 * Parses a batch and returns what still has to be read. If the worker died or was ended, the batch is divided and read
 * again, so that only the file which caused it is lost. If the worker ended the batch early, the remaining files form a
 * new batch.
 */
async function parseOrSkip(
  { pool, root, check }: ReadContext,
  limits: ReadLimits,
  { files, isAlone }: Batch,
): Promise<BatchProgress> {
  const stallMs = STALL_MS * timesLarge(Math.max(...files.map(({ size }) => size)))
  try {
    const parsed = await pool.run({ kind: "parse", root, limits, files }, { stallMs })
    const rest = files.slice(parsed.outcomes.length)
    return { parsed, rest: rest.length === 0 ? [] : [{ files: rest, isAlone }] }
  } catch (error) {
    check()
    // The system refused to open a file or start a thread, so no file of the batch caused the error.
    if (error instanceof AmanError && error.code === "IO") throw error
    const parsed = { outcomes: [], segments: [], times: {} }
    const isTight = error instanceof EndedError && error.reason === MEMORY_REASON
    if (files.length > 1 || (isTight && !isAlone)) return { parsed, rest: splitBatch(files, error, isTight) }
    const file = files[0]!
    if (isTight && !file.isPlain) return { parsed, rest: [{ files: [{ ...file, isPlain: true }], isAlone }] }
    const { path, size, mtimeMs } = file
    return {
      parsed: {
        ...parsed,
        outcomes: [{ status: "skipped", path, size, mtimeMs, reason: skipReason(error) }],
      },
      rest: [],
    }
  }
}

/**
 * Divides a failed batch: around the file at which the worker was ended, if that file is known; otherwise into halves.
 * A file for which memory did not suffice is read alone at the next attempt, then without its syntax, and then skipped.
 */
function splitBatch(files: readonly Task[], error: unknown, isTight: boolean): Batch[] {
  const [from, to] =
    error instanceof EndedError ? [error.done, error.done + 1] : [files.length >> 1, files.length >> 1]
  const parts = [
    { files: files.slice(0, from), isAlone: false },
    { files: files.slice(from, to), isAlone: isTight },
    { files: files.slice(to), isAlone: false },
  ]
  return parts.filter((part) => part.files.length > 0)
}

function skipReason(error: unknown): string {
  if (error instanceof EndedError) return error.reason
  return error instanceof Error && error.message !== "" ? "parser failed" : "unreadable"
}

type Committed = { readonly indexed: number; readonly chunks: number }

type OutcomeWith<Status> = Extract<FileOutcome, { status: Status }>

/**
 * Records a batch in one transaction, so that queries see either all new versions of its files, with their chunks,
 * symbols and postings, or none. `oldIds` maps each path to the id of its previous version.
 */
export function commitBatch(
  store: Store,
  batch: ParsedBatch,
  oldIds: ReadonlyMap<string, number>,
): Committed {
  const of = <Status extends FileOutcome["status"]>(status: Status) =>
    batch.outcomes.filter((outcome): outcome is OutcomeWith<Status> => outcome.status === status)
  const indexed = of("indexed")
  const skipped = of("skipped")
  const paths = [...indexed.map(({ file }) => file.path), ...skipped.map(({ path }) => path)]
  store.transaction(() => {
    for (const same of of("same")) store.files.touch(oldIds.get(same.path)!, same.size, same.mtimeMs)
    store.removeFiles(paths.flatMap((path) => oldIds.get(path) ?? []))
    countPaths(store, appearing(indexed, oldIds), 1)
    countPaths(
      store,
      skipped.flatMap(({ path }) => (oldIds.has(path) ? [path] : [])),
      -1,
    )
    store.skipped.add(skipped)
    store.skipped.remove(indexed.map(({ file }) => file.path))
    store.files.add(indexed.map(({ file }) => file))
    for (const { file, chunks, symbols, uses, divided, documentText } of indexed) {
      store.chunks.add(chunks)
      store.symbols.add(symbols)
      if (uses !== null) store.uses.add(uses)
      if (divided !== null) store.divided.add(divided)
      if (documentText !== null) store.documentTexts.add(file.id, documentText)
    }
    for (const segment of batch.segments) store.segments.add(segment)
  })
  return { indexed: indexed.length, chunks: indexed.reduce((sum, { chunks }) => sum + chunks.length, 0) }
}

function appearing(
  indexed: readonly OutcomeWith<"indexed">[],
  oldIds: ReadonlyMap<string, number>,
): string[] {
  return indexed.flatMap(({ file }) => (oldIds.has(file.path) ? [] : [file.path]))
}

type MemoryGateOptions = {
  /** Resident memory in bytes above which no work starts while other work is in progress. */
  readonly startBytes: number
  /** Returns the resident memory of the process in bytes. */
  readonly residentBytes: () => number
  /** Releases memory that is not in use. Called only while no work is in progress. */
  readonly releaseMemory: () => Promise<void>
}

/**
 * Runs pieces of work side by side as long as memory suffices. When memory is short, the next piece waits until all
 * others have ended, because only then can their memory be released. After that, the pieces run one at a time until
 * there is room again. A piece that is alone runs even if the limit is too low for it.
 */
export class MemoryGate {
  readonly #options: MemoryGateOptions
  #active = 0
  #waiting: (() => void)[] = []
  #pauses = 0
  /** Memory in bytes that is reserved for the work in progress, beyond that of ordinary pieces. */
  #reservedBytes = 0
  #isReleasing = false

  constructor(options: MemoryGateOptions) {
    this.#options = options
  }

  /** How many times work had to wait for the release of memory. */
  get pauses(): number {
    return this.#pauses
  }

  /**
   * Runs a piece of work as soon as there is room for it. `moreBytes` is the memory that it takes beyond an ordinary
   * piece.
   */
  async pass<T>(work: () => Promise<T>, moreBytes = 0): Promise<T> {
    while (this.#active > 0 && (this.#isReleasing || this.#isUnderPressure(moreBytes))) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
    const isTight = this.#active === 0 && this.#isUnderPressure(moreBytes)
    this.#active++
    this.#reservedBytes += moreBytes
    try {
      if (isTight) {
        this.#pauses++
        this.#isReleasing = true
        await this.#options.releaseMemory()
        this.#isReleasing = false
      }
      return await work()
    } finally {
      this.#active--
      this.#reservedBytes -= moreBytes
      for (const resume of this.#waiting.splice(0)) resume()
    }
  }

  #isUnderPressure(moreBytes: number): boolean {
    const expectedBytes = this.#options.residentBytes() + this.#reservedBytes + moreBytes
    return expectedBytes > this.#options.startBytes
  }
}

/** Recently changed files according to git. */
type RecentFiles = {
  /** Paths whose content differs from the last commit. */
  readonly edited: ReadonlySet<string>
  /** Paths changed by the latest commits, newest commit first. */
  readonly committed: readonly string[]
}

/**
 * Maximum number of recent files that are moved to the front. More files than one person has open at once, and few
 * enough to be read quickly.
 */
const MAX_RECENT_FILES = 256
// Maximum time in ms that a clone, or the extraction of an archive, takes to write all files.
const CHECKOUT_MS = 60_000

/**
 * Orders files by how likely they are to be queried soon: files edited since the last commit; files modified long after
 * the median of all files; files of the latest commits; source files in source folders; and tests, examples, documents
 * and the rest. Within the last two groups, the order stays as it was. The order does not depend on the clock.
 */
export function priorityOrder<T extends FoundFile>(
  files: readonly T[],
  recent: RecentFiles | null = null,
): T[] {
  if (files.length <= 1) return [...files]
  const placed = new Set(recentOf(files, recent))
  const isAside = asideFolders()
  const rest: [source: T[], other: T[]] = [[], []]
  for (const file of files) {
    if (placed.has(file)) continue
    const isSource = contentKindOf(languageOf(file.path, "")) === "code" && !isAside(file.path)
    rest[isSource ? 0 : 1].push(file)
  }
  return [...placed, ...rest.flat()]
}

function recentOf<T extends FoundFile>(files: readonly T[], recent: RecentFiles | null): T[] {
  const latest = [...files].sort((a, b) => b.mtimeMs - a.mtimeMs)
  const usual = latest[latest.length >> 1]!.mtimeMs
  const written = latest.slice(0, MAX_RECENT_FILES).filter((file) => file.mtimeMs > usual + CHECKOUT_MS)
  if (recent === null) return written
  const byPath = new Map(files.map((file) => [file.path, file]))
  const committed = recent.committed.flatMap((path) => byPath.get(path) ?? [])
  const edited = latest.filter(({ path }) => recent.edited.has(path))
  // In a copied work tree every file differs from the commit, so a large number of edits means nothing.
  const telling = edited.length > MAX_RECENT_FILES ? [] : edited
  return [...telling, ...written, ...committed.slice(0, MAX_RECENT_FILES)]
}

/**
 * Returns a function that tells whether a file is in a folder whose name sets a flag: tests, examples, documents,
 * vendored code, scripts and others. It decides once per folder, because checking 50,000 file names would take a third
 * of a second.
 */
function asideFolders(): (path: string) => boolean {
  const isAsideCache = new Map<string, boolean>()
  return (path) => {
    const folder = path.slice(0, path.lastIndexOf("/") + 1)
    const isAside = isAsideCache.get(folder) ?? pathFlags(folder) !== 0
    isAsideCache.set(folder, isAside)
    return isAside
  }
}

/**
 * Updates the counts of the words in paths: adds the paths (1) or removes them (-1). Call it in the transaction that
 * changes the files.
 */
export function countPaths(store: Store, paths: readonly string[], difference: 1 | -1): void {
  const changes = new Map<string, PathWordCount>()
  for (const path of paths) {
    const { all, stem } = pathWords(path)
    for (const word of all) {
      const counted = changes.get(word) ?? { paths: 0, stems: 0 }
      const stems = stem.includes(word) ? difference : 0
      changes.set(word, { paths: counted.paths + difference, stems: counted.stems + stems })
    }
  }
  store.pathWords.add(changes)
}

type DocumentsOptions = {
  readonly root: string
  readonly config: Config
  /** Throws when the run must end. */
  readonly check: () => void
}

/** Maximum number of characters of the texts of all documents that an index run reads. */
const MAX_TEXT_CHARS = 256 << 20

/**
 * Returns a function that reads the documents among the files of an index run, and returns the files with their texts.
 * All documents of the run together have one budget; those beyond it are skipped and counted.
 */
export function documentReader({
  root,
  config,
  check,
}: DocumentsOptions): <T extends FileTask>(files: readonly T[]) => Promise<T[]> {
  const { maxFileBytes, documentSeconds } = config.index
  const { memoryLimitBytes } = config.performance
  const budget: DocumentBudget = { leftMs: documentSeconds * 1000, leftChars: MAX_TEXT_CHARS }
  return async (files) => {
    const read = []
    for (const file of files) {
      const { path, knownHash, document } = file
      const isRead = !isDocument(path) || document !== undefined
      if (!isRead) check()
      const options = { knownHash, budget, memoryLimitBytes }
      read.push(isRead ? file : { ...file, document: await readDocument(root, path, maxFileBytes, options) })
    }
    return read
  }
}

export type FoundFile = {
  readonly path: string
  readonly size: number
  readonly mtimeMs: number
  /** FILE_FLAG bits that `.gitattributes` sets for the file; absent if it sets none. */
  readonly attributeFlags?: number
}

/** The changes that make an index match the files on disk. */
export type Plan = {
  /** Files to read. Whether they changed is decided by their content. */
  readonly read: readonly (Omit<FileTask, "id"> & FoundFile)[]
  /** Ids of versions whose file no longer exists. */
  readonly remove: readonly number[]
}

/**
 * Plans the changes of the index. `indexed` are the file versions in the index that the scan covers; those whose path
 * is not in `found`, the files that the scan found, are removed.
 */
export function plan(indexed: readonly KnownFile[], found: readonly FoundFile[]): Plan {
  const byPath = new Map<string, KnownFile>()
  for (const file of indexed) byPath.set(file[0], file)
  const read = found.map((file) => {
    const old = byPath.get(file.path)
    byPath.delete(file.path)
    return { ...file, knownHash: old !== undefined && hasSameAttributes(old, file) ? old[4] : null }
  })
  return { read, remove: Array.from(byPath.values(), (file) => file[1]) }
}

/**
 * True when `.gitattributes` sets the same flags as at the time of indexing. Otherwise the file is indexed again even
 * if its content is the same.
 */
function hasSameAttributes([, , , , , flags]: KnownFile, { attributeFlags = 0 }: FoundFile): boolean {
  return (flags & ATTRIBUTE_FLAGS) === attributeFlags
}

type Sized = { readonly size: number }

/**
 * Sizes of batches in bytes. Below `min`, starting another worker takes longer than it saves; `max` is the largest
 * batch.
 */
type BatchBytes = { readonly min: number; readonly max: number }

const PARSE_BYTES: BatchBytes = { min: 24 << 10, max: 512 << 10 }
// Up to this many batches of minimal size, one worker is as fast as two.
const SINGLE_WORKER_BATCHES = 4
// Each worker gets several batches, so that one slow file does not leave the other workers idle at the end.
const BATCHES_PER_WORKER = 6
// Batches become smaller towards the end: a batch is at most the remaining bytes, divided by the number of workers and
// by this number.
const LAST_SHARES_PER_WORKER = 2

/** Cuts a list of files into batches of about equal bytes, without changing the order; the last batches are smaller. */
export function batchesOf<T extends Sized>(
  files: readonly T[],
  workers: number,
  { min, max }: BatchBytes = PARSE_BYTES,
): T[][] {
  const batches: T[][] = []
  const total = files.reduce((sum, file) => sum + file.size, 0)
  const fair = Math.min(max, Math.max(min * SINGLE_WORKER_BATCHES, total / (workers * BATCHES_PER_WORKER)))
  let left = total
  let limit = limitOf(left)
  let current: T[] = []
  let bytes = 0
  for (const file of files) {
    if (current.length > 0 && (bytes + file.size > limit || current.length === 256)) {
      batches.push(current)
      left -= bytes
      limit = limitOf(left)
      current = []
      bytes = 0
    }
    current.push(file)
    bytes += file.size
  }
  if (current.length > 0) batches.push(current)
  return batches

  function limitOf(left: number): number {
    if (total <= min * SINGLE_WORKER_BATCHES) return total
    return Math.min(fair, Math.max(min, left / (workers * LAST_SHARES_PER_WORKER)))
  }
}

/** Adds up times phase by phase, in the order in which phases first appear. */
export function addPhaseTimes(all: readonly PhaseTimes[]): PhaseTimes {
  const sum: Record<string, number> = {}
  for (const times of all) for (const [name, ms] of Object.entries(times)) sum[name] = (sum[name] ?? 0) + ms
  return sum
}
