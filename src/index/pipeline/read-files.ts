import { residentBytes } from "../../base/memory.ts"
import { pathFlags } from "../../code/languages/file-flags.ts"
import { contentKindOf, languageOf } from "../../code/languages/languages.ts"
import { filesNotCommitted, recentlyCommitted } from "../../git/recent-files.ts"
import type { PathWordCount } from "../../store/index/path-words.ts"
import type { Store } from "../../store/index/store.ts"
import { pathWords } from "../../text/terms/path-words.ts"
import type { FoundFile, Plan } from "../scan/plan.ts"
import { StallError } from "../watch/stall-watch.ts"
import { batchesOf } from "./batches.ts"
import type { FileOutcome, FileTask, ParsedBatch, ReadLimits } from "./messages.ts"
import type { WorkerPool } from "./worker-pool.ts"

export type ReadContext = {
  readonly store: Store
  readonly pool: WorkerPool
  readonly root: string
  readonly limits: ReadLimits
  /**
   * Memory limit of the process. Above it reading pauses, releases memory, and continues with less
   * parallelism.
   */
  readonly memoryLimitBytes: number
  /** Throws when the run must end because it is cancelled or the process is no longer the leader. */
  readonly check: () => void
  readonly onProgress: (files: number) => void
  /** Called after every batch; returns further work, or null if there is none. */
  readonly afterBatch: () => (() => Promise<void>) | null
}

type Task = FileTask & FoundFile

// Parsing a file stops by itself after five seconds; this covers code that cannot be interrupted.
const STALL_MS = 40_000

// More memory makes nothing faster, whatever the limit allows: 5,000 files take as long with 375 MB in all as
// with 467.
const MAX_BASE_BYTES = 175_000_000
const MAX_BYTES_PER_WORKER = 100_000_000
// Memory that a merge in the middle of a run takes: the delta segments and their merge.
const MERGE_BYTES = 80_000_000

// A file above the usual maximum size needs its own reservation: parsing takes up to 65 times its size.
const LARGE_FILE_BYTES = 1 << 20
const BYTES_PER_LARGE_BYTE = 64

// Files that total fewer bytes are read within a second: then the order does not matter, but the end of the
// last file does.
const SMALL_BYTES = 1 << 20

export type ReadReport = { readonly indexed: number; readonly chunks: number }

/**
 * Reads, chunks and commits every file of the plan, batch by batch. A batch is searchable once it is
 * committed.
 */
export async function readFiles(
  context: ReadContext,
  plan: Plan,
  oldIds: ReadonlyMap<string, number>,
): Promise<ReadReport> {
  const { store, pool } = context
  let nextId = store.files.nextId()
  // Ids follow the paths, so that the index does not depend on the order of reading; batches are in id order,
  // too.
  const tasks = plan.read.map((file) => ({ ...file, id: nextId++ }))
  const isSmall = bytesOf(tasks) <= SMALL_BYTES
  const isFirst = oldIds.size === 0 && tasks.length > MAX_RECENT_FILES && !isSmall
  const recent = isFirst ? { edited: pathsOf(filesNotCommitted(context.root, tasks)), committed: [] } : null
  const batches = inBatches(isSmall ? largestFirst(tasks) : priorityOrder(tasks, recent), pool.size)
  // Reading does not wait for git: when git has answered, the files not read yet are reordered.
  if (isFirst) {
    void recentlyCommitted(context.root).then((committed) => {
      if (committed.length === 0) return
      const waiting = batches.splice(next).flat()
      batches.push(...inBatches(priorityOrder(waiting, { ...recent!, committed }), pool.size))
    })
  }
  const gate = new MemoryGate({
    limitBytes: Math.min(context.memoryLimitBytes, MAX_BASE_BYTES + pool.size * MAX_BYTES_PER_WORKER),
    residentBytes,
    releaseMemory: () => {
      pool.shrink()
      Bun.gc(true)
    },
  })
  let indexed = 0
  let chunks = 0
  let done = 0
  let next = 0
  // One batch more in progress than there are workers: keeps them busy, and bounds what is parsed and not
  // committed.
  const lanes = Array.from({ length: Math.min(batches.length, pool.size + 1) }, async () => {
    while (next < batches.length) {
      const batch = batches[next++]!
      await gate.pass(() => readBatch(batch), largeBytesOf(batch) * BYTES_PER_LARGE_BYTE)
      const more = context.afterBatch()
      if (more !== null) await gate.pass(more, MERGE_BYTES)
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

function largeBytesOf(files: readonly FoundFile[]): number {
  return bytesOf(files.filter(({ size }) => size > LARGE_FILE_BYTES))
}

function bytesOf(files: readonly FoundFile[]): number {
  return files.reduce((sum, { size }) => sum + size, 0)
}

/** Largest first, so that no worker is left with a large file at the end. */
function largestFirst(tasks: readonly Task[]): Task[] {
  return tasks.toSorted((one, other) => other.size - one.size)
}

function pathsOf(files: readonly FoundFile[]): ReadonlySet<string> {
  return new Set(files.map(({ path }) => path))
}

/**
 * Parses a batch. A batch that killed its worker is tried again in parts, so that only the file at fault is
 * lost; the rest of a batch that ended early is tried again, too.
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

/** Splits a failed batch: around the file at which it stalled if that is known, else into halves. */
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

type Committed = { readonly indexed: number; readonly chunks: number }

type Outcome<Status> = Extract<FileOutcome, { status: Status }>

/**
 * Records a batch in one transaction: the new versions with their chunks, symbols and postings appear as the
 * old ones disappear. `oldIds` has the previous version of each path.
 */
export function commitBatch(
  store: Store,
  batch: ParsedBatch,
  oldIds: ReadonlyMap<string, number>,
): Committed {
  const of = <Status extends FileOutcome["status"]>(status: Status) =>
    batch.outcomes.filter((outcome): outcome is Outcome<Status> => outcome.status === status)
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
    for (const { chunks, symbols, uses } of indexed) {
      store.chunks.add(chunks)
      store.symbols.add(symbols)
      if (uses !== null) store.uses.add(uses)
    }
    for (const segment of batch.segments) store.segments.add(segment)
  })
  return { indexed: indexed.length, chunks: indexed.reduce((sum, { chunks }) => sum + chunks.length, 0) }
}

function appearing(indexed: readonly Outcome<"indexed">[], oldIds: ReadonlyMap<string, number>): string[] {
  return indexed.flatMap(({ file }) => (oldIds.has(file.path) ? [] : [file.path]))
}

/** Above this share of the limit no further work starts while other work is in progress. */
const PRESSURE_SHARE = 0.85

type MemoryGateOptions = {
  readonly limitBytes: number
  /** Resident memory of the process now. */
  readonly residentBytes: () => number
  /** Releases memory that is not needed now; called while no work is in progress. */
  readonly releaseMemory: () => void
}

/**
 * Lets pieces of work run side by side while memory lasts. Under memory pressure the next one waits until all
 * others have ended, because only then can their memory be released; then they run one at a time until there
 * is room again. Work continues even where the limit is too tight for one piece.
 */
export class MemoryGate {
  readonly #options: MemoryGateOptions
  #active = 0
  #waiting: (() => void)[] = []
  #pauses = 0
  /** Extra memory reserved for the work in progress. */
  #reservedBytes = 0

  constructor(options: MemoryGateOptions) {
    this.#options = options
  }

  /** How often work started only after releasing memory. */
  get pauses(): number {
    return this.#pauses
  }

  /**
   * Runs a piece of work as soon as there is room for it. `moreBytes`: memory it takes beyond an ordinary
   * piece.
   */
  async pass<T>(work: () => Promise<T>, moreBytes = 0): Promise<T> {
    while (this.#active > 0 && this.#isUnderPressure(moreBytes)) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
    if (this.#active === 0 && this.#isUnderPressure(moreBytes)) {
      this.#pauses++
      this.#options.releaseMemory()
    }
    this.#active++
    this.#reservedBytes += moreBytes
    try {
      return await work()
    } finally {
      this.#active--
      this.#reservedBytes -= moreBytes
      for (const resume of this.#waiting.splice(0)) resume()
    }
  }

  #isUnderPressure(moreBytes: number): boolean {
    const expectedBytes = this.#options.residentBytes() + this.#reservedBytes + moreBytes
    return expectedBytes > this.#options.limitBytes * PRESSURE_SHARE
  }
}

/** Recently used files, as git knows them. */
type RecentFiles = {
  /** Paths that differ from what was committed. */
  readonly edited: ReadonlySet<string>
  /** Paths that the last commits touched, newest first. */
  readonly committed: readonly string[]
}

/** Number of recent files to put first: more than one person has open at once, and quickly read. */
const MAX_RECENT_FILES = 256
// A clone or an extracted archive writes all files within about this time.
const CHECKOUT_MS = 60_000

/**
 * Files in the order in which they are likely to be queried: those edited since the last commit; those
 * written long after the median, whatever the clock says now; those of the last commits; then source in
 * source folders; then tests, examples, documents and the rest. The last two groups keep their order.
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
  // In a copied work tree every file differs, so a large number of edits carries no information.
  const telling = edited.length > MAX_RECENT_FILES ? [] : edited
  return [...telling, ...written, ...committed.slice(0, MAX_RECENT_FILES)]
}

/** Decides per folder and remembers the result: checking 50,000 file names would take a third of a second. */
function asideFolders(): (path: string) => boolean {
  const known = new Map<string, boolean>()
  return (path) => {
    const folder = path.slice(0, path.lastIndexOf("/") + 1)
    const isAside = known.get(folder) ?? pathFlags(folder) !== 0
    known.set(folder, isAside)
    return isAside
  }
}

/** Keeps the word counts of paths up to date. Call it in the transaction that changes the files. */
export function countPaths(store: Store, paths: readonly string[], difference: 1 | -1): void {
  const changes = new Map<string, PathWordCount>()
  for (const path of paths) {
    const { all, stem } = pathWords(path)
    for (const word of all) {
      const known = changes.get(word) ?? { paths: 0, stems: 0 }
      const stems = stem.includes(word) ? difference : 0
      changes.set(word, { paths: known.paths + difference, stems: known.stems + stems })
    }
  }
  store.pathWords.add(changes)
}
