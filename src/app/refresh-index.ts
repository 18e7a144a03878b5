import { AmanError } from "../base/errors.ts"
import { log } from "../base/log.ts"
import { indexPath } from "../indexing/index-folder.ts"
import { readState } from "../indexing/index-state.ts"
import { statAt } from "../indexing/rescan.ts"
import { WorkerPool } from "../indexing/worker-pool.ts"
import type { IndexReader } from "../search/reader.ts"
import { storeError } from "../store/sqlite-error.ts"
import { type FirstLook, lookFirst } from "./first-look.ts"
import { knownIndexId } from "./index-trust.ts"
import { Indexer } from "./indexer.ts"
import { leadOrWait } from "./lead-or-wait.ts"
import type { Project } from "./open-project.ts"

export type RefreshOptions = {
  readonly signal?: AbortSignal | undefined
  /** Of larger projects the files are looked at by another thread. */
  readonly quickFiles?: number | undefined
  /** Files known to hold something else than was indexed, whatever their size and time say. */
  readonly suspects?: readonly string[] | undefined
}

// Looking at so many files takes as long as starting a thread does.
const QUICK_FILES = 2_000
/** An index of so many bytes has more files than that, as a rule: the thread starts while it is opened. */
const LARGE_BYTES = 16 << 20

/** `check` throws once the look has found something that may make the answer worthless. */
export type Ask<T> = (reader: IndexReader, check: () => void) => Promise<T>

/**
 * Brings the index up to date, unless another process does. `ask` is called on the index as it is while another thread
 * looks at the files of a large project: where nothing had changed that is the answer. If not, null, and the next one
 * takes a tenth of the time.
 */
export async function refreshIndex<T>(
  project: Project,
  options: RefreshOptions,
  ask?: Ask<T>,
): Promise<T | null> {
  const { signal, suspects = [] } = options
  using pool = new WorkerPool(project.config.index.workers)
  if (suspects.length > 0) {
    using indexer = await leadOrWait(project, signal, pool, suspects)
    await indexer?.run({ signal, suspects })
    return null
  }
  if (ask !== undefined && isLarge(project)) pool.warm(1, null)
  const reader = soundReader(project)
  const { first, answer } = reader === null ? NOTHING : await lookAndAsk(project, reader, options, pool, ask)
  if (first?.isCurrent) {
    if (first.look.isWorthKeeping) await keepLook(project, reader, first, signal)
    return answer
  }
  if (first === null) project.close()
  using indexer = await leadOrWait(project, signal, pool)
  const look = isStill(project, reader, first) ? first?.look : undefined
  await indexer?.run({ signal, look })
  return null
}

export type Refreshed<T> = {
  /** Why the index could not be brought up to date. */
  readonly failure: string | null
  /** Found meanwhile, in an index that turned out to be up to date. */
  readonly answer: T | null
}

/** The same, but where nothing can be written, as on a full disk, an index that was whole before serves as it is. */
export async function refreshOrSay<T>(
  project: Project,
  options: RefreshOptions,
  ask?: Ask<T>,
): Promise<Refreshed<T>> {
  try {
    return { failure: null, answer: await refreshIndex(project, options, ask) }
  } catch (cause) {
    const error = storeError(cause, indexPath(project.config.index.dir))
    const reader = project.reader()
    const wasWhole = reader !== null && readState(reader.store).indexedAt !== null
    if (!(error instanceof AmanError) || error.code !== "IO" || !wasWhole) throw error
    return { failure: `the index could not be brought up to date: ${error.message}`, answer: null }
  }
}

/** Who leads another time keeps its own; and where nothing can be written, the next look takes as long as this one. */
async function keepLook(
  project: Project,
  reader: IndexReader | null,
  first: FirstLook,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    // An index that cannot be remembered would be made anew by who takes the lead.
    const known = knownIndexId({ root: project.root, dir: project.config.index.dir })
    if (typeof known !== "number" || !isStill(project, reader, first)) return
    using indexer = Indexer.take(project)
    if (indexer !== null && isStill(project, reader, first)) await indexer.run({ look: first.look, signal })
  } catch (error) {
    log.debug("the look was not kept", { reason: String(error) })
  }
}

const NOTHING = { first: null, answer: null }

function isLarge({ config }: Project): boolean {
  return (statAt(indexPath(config.index.dir))?.size ?? 0) > LARGE_BYTES
}

/** What is wrong with an index is for who leads to see. */
function soundReader(project: Project): IndexReader | null {
  try {
    return project.reader()
  } catch {
    return null
  }
}

async function lookAndAsk<T>(
  project: Project,
  reader: IndexReader,
  { quickFiles = QUICK_FILES }: RefreshOptions,
  pool: WorkerPool,
  ask: Ask<T> | undefined,
): Promise<{ readonly first: FirstLook | null; readonly answer: T | null }> {
  const isApart = ask !== undefined && reader.store.files.totals().files > quickFiles
  const sign = new Int32Array(new SharedArrayBuffer(4))
  const looking = lookFirst(project, reader, isApart ? { pool, sign } : null)
  const check = () => {
    if (Atomics.load(sign, 0) !== 0) throw new Error("something moved")
  }
  // What is wrong shows when it counts.
  const answer = isApart ? await ask(reader, check).catch(() => null) : null
  return { first: await looking, answer }
}

/** True where nobody wrote since that look. */
function isStill(project: Project, reader: IndexReader | null, first: FirstLook | null): boolean {
  return first !== null && project.reader() === reader && reader?.store.dataVersion() === first.version
}
