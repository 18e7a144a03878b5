/*
 * A project of a server. Each use case is one method: it waits briefly for running updates (`waitForUpdates`), runs the use
 * case on the current index, and adds notices about the updater. The project is opened again when a settings file
 * changes; running calls keep the old one open.
 */

import { statSync } from "node:fs"
import {
  AmanError,
  everyHalfSecond,
  type IndexProgress,
  InFlight,
  log,
  messageOf,
  type ReadAnswer,
  type SearchAnswer,
  type SearchRequest,
  type StatusAnswer,
  settingsFiles,
} from "../../base/index.ts"
import {
  type CodeMap,
  loadCodeMap,
  loadMapProject,
  type MapAnswer,
  projectStatus,
  type SkippedPath,
  skippedFiles,
} from "../../context/index.ts"
import {
  type AnswerOptions,
  type IndexReader,
  IndexUpdater,
  type ListedFile,
  listFiles,
  openProject,
  type Project,
  type ProjectOptions,
  partialIndex,
  readFile,
  requireFolder,
} from "../../index/index.ts"
import { loadWhyNot, type WhyNot } from "../../search/index.ts"
import { isDamage } from "../../store/index.ts"
import { type LogAnswer, type LogRequest, loadCodeLog, type MemoriesAbout } from "../../symbols/index.ts"
import { projectSource, type Source, sourceOf } from "../source.ts"

// Max time in ms that a query waits for a running scan; most scans finish within it. The longer limit applies when
// there is no index yet or a result turned out to be stale. After that time, the query is answered from the index as
// it is.
const MAX_SCAN_WAIT_MS = 60
const MAX_UPDATE_WAIT_MS = 800
const MAX_FIRST_INDEX_WAIT_MS = 60_000
const POLL_MS = 50
// Runs with fewer files are not logged, because they end before anyone could read the message.
const MIN_LOGGED_FILES = 100

const ABSENCES: ReadonlySet<string> = new Set(["INDEX_MISSING", "NOT_FOUND"])

/** Fields of an answer that depend on the state of the index. */
type IndexDependent = {
  readonly notices?: readonly string[]
  readonly partial?: SearchAnswer["partial"]
}

/** Values that show whether an index has changed, from cheap to expensive. */
export type IndexRevision = {
  /** Changes with each commit; not comparable between processes. */
  readonly version: number
  /** Changes when a file is added or removed. */
  readonly list: () => bigint
  /** Changes when that file is indexed again; null if it is not indexed. */
  readonly file: (path: string) => number | null
}

/** A project opened with one version of the settings; a change of settings opens another. */
type OpenedProject = { readonly project: Project; readonly updater: IndexUpdater }

/**
 * A project that a server serves: it is indexed in the background and answers from the current index. The
 * constructor never throws; calls of a project that could not be opened fail with its error.
 */
export class ServedProject implements Source {
  readonly #options: ProjectOptions
  readonly #settings: Disposable
  /** Running calls. A project that is being replaced stays open until they have ended. */
  readonly #calls = new InFlight()
  #opened: OpenedProject | AmanError
  #closing: Promise<unknown> = Promise.resolve()
  #progress: IndexProgress | null = null
  #problem: string | null = null

  constructor(options: ProjectOptions) {
    this.#options = { ...options, onProgress: (progress) => this.#onProgress(progress, options) }
    this.#opened = openOrError(this.#options)
    const root = this.#opened instanceof AmanError ? (options.root ?? options.cwd) : this.#opened.project.root
    this.#settings = watchSettings(root, () => this.#reopen())
  }

  /**
   * The questions about code. All but `grep` and `read`, which need no index, wait briefly for changes to be indexed. Until
   * the first index is complete, a word search over the files completes a search.
   */
  readonly #source = sourceOf((verb, request, call) =>
    this.#call(async ({ project, updater }) => {
      const isAboutFiles = verb === "grep" || verb === "read"
      if (isAboutFiles) requireFolder(project.root)
      else await waitForUpdates(project, updater)
      const options = {
        ...answerOptions(updater, call.signal),
        ...{ notices: this.#problems, completesIndex: true },
      }
      const asked = projectSource(project, options)[verb](request, call)
      if (isAboutFiles) return await asked
      const answer = await asked.catch((error: unknown) => this.#refuse(error))
      return this.#withProblems(answer as typeof answer & IndexDependent)
    }),
  )
  readonly search = this.#source.search
  readonly context = this.#source.context
  readonly grep = this.#source.grep
  readonly symbol = this.#source.symbol
  readonly read = this.#source.read

  /** Waits until the first index is complete, MAX_FIRST_INDEX_WAIT_MS at most. */
  untilIndexed(signal: AbortSignal): Promise<void> {
    return this.#call(async ({ project }) => {
      const until = performance.now() + MAX_FIRST_INDEX_WAIT_MS
      const isUnfinished = (reader: IndexReader | null) =>
        reader === null || partialIndex(reader.store) !== null
      while (readsIndex(project, isUnfinished) && this.#failure === null && performance.now() < until) {
        signal.throwIfAborted()
        await Bun.sleep(POLL_MS)
      }
    })
  }

  /** Why a file is not, or not higher, in the answer to a request. */
  whyNot(request: SearchRequest, path: string, signal?: AbortSignal): Promise<WhyNot> {
    return this.#call(async ({ project, updater }) => {
      await waitForUpdates(project, updater)
      const { whyNot } = await loadWhyNot()
      return whyNot(project, request, path, answerOptions(updater, signal))
    })
  }

  /** The commits that changed a file or a definition, and the memories about it. */
  log(request: LogRequest, memories: MemoriesAbout, signal?: AbortSignal): Promise<LogAnswer> {
    return this.#call(async ({ project, updater }) => {
      await waitForUpdates(project, updater)
      const { codeLog } = await loadCodeLog()
      return this.#withProblems(await codeLog(project, request, answerOptions(updater, signal), memories))
    })
  }

  map(signal?: AbortSignal): Promise<MapAnswer> {
    return this.#call(async ({ project, updater }) => {
      await waitForUpdates(project, updater)
      const { mapProject } = await loadMapProject()
      return this.#withProblems(await mapProject(project, answerOptions(updater, signal)))
    })
  }

  /** The files and their modules; null while there is no index. `memories`: entries by path. */
  codeMap(memories: ReadonlyMap<string, number>): Promise<CodeMap | null> {
    return this.#call(async ({ project }) => (await loadCodeMap()).codeMap(project, memories))
  }

  /**
   * Returns the indexed chunk of a file that contains the line; without an index, or between two chunks, only
   * that line.
   */
  chunk(path: string, line: number): Promise<ReadAnswer> {
    return this.#call(({ project }) => {
      const store = project.reader()?.store
      const file = store?.files.byPath(path)
      const chunk = file ? store?.chunks.atLine(file.id, line) : null
      return readFile(project, { path, startLine: chunk?.startLine ?? line, endLine: chunk?.endLine ?? line })
    })
  }

  get root(): string {
    return this.#open().project.root
  }

  /** True if the user wants agents' calls recorded. */
  get recordsCalls(): boolean {
    return !(this.#opened instanceof AmanError) && this.#opened.project.config.ui.recordsCalls
  }

  /** Indexed files in path order. */
  files(after: string, limit: number): ListedFile[] {
    return listFiles(this.#open().project, after, limit)
  }

  /** Completions for a partly typed path, symbol or language; languages with the most files first. */
  complete(kind: NameKind, typed: string, limit: number): string[] {
    return completeNames(this.#open().project, kind, typed, limit)
  }

  /** Values that change with the index's content, for comparison with earlier ones; null while there is no index. */
  indexRevision(): IndexRevision | null {
    const store = this.#opened instanceof AmanError ? undefined : this.#opened.project.reader()?.store
    if (store === undefined) return null
    return {
      version: store.dataVersion(),
      list: () => Bun.hash.wyhash(JSON.stringify(store.files.paths().map(([, path]) => path))),
      file: (path) => store.files.byPath(path)?.id ?? null,
    }
  }

  /** Calls `act` with the project, which stays open until it returns. */
  use<T>(act: (project: Project) => Promise<T>): Promise<T> {
    return this.#call(async ({ project, updater }) => {
      await waitForUpdates(project, updater)
      return act(project)
    })
  }

  status(): Promise<StatusAnswer> {
    return this.#call(async ({ project, updater: { leads, waiting, isRunning } }) => {
      const progress = isRunning ? this.#progress : null
      return this.#withProblems(await projectStatus(project, { leads, waiting, progress }))
    })
  }

  /** Files and folders that are not indexed; `reason` selects one. */
  skipped(reason: string | undefined): Promise<SkippedPath[]> {
    return this.#call(async ({ project }) => skippedFiles(project, reason))
  }

  async close(): Promise<void> {
    this.#settings[Symbol.dispose]()
    await this.#closing
    if (!(this.#opened instanceof AmanError)) await this.#close(this.#opened)
  }

  #open(): OpenedProject {
    if (this.#opened instanceof AmanError) throw this.#opened
    return this.#opened
  }

  async #call<T>(act: (opened: OpenedProject) => Promise<T>): Promise<T> {
    return await this.#calls.track(act(this.#open()))
  }

  /**
   * Opens the project again with changed settings. If these are invalid, that is reported, and the previous settings
   * stay in use.
   */
  #reopen(): void {
    const old = this.#opened
    const opened = openOrError(this.#options)
    this.#problem = null
    if (!(opened instanceof AmanError) || old instanceof AmanError) {
      this.#opened = opened
      log.info("settings reloaded")
      if (!(old instanceof AmanError)) this.#closing = this.#closing.then(() => this.#close(old))
      return
    }
    this.#problem = `the previous settings stay in use: ${opened.message}`
    log.warn("settings not reloaded", { error: opened.message })
  }

  async #close({ project, updater }: OpenedProject): Promise<void> {
    await updater.close()
    await this.#calls.settled()
    project.close()
  }

  get #problems(): string[] {
    return [this.#failure, this.#problem].filter((problem) => problem !== null)
  }

  /** Why the index is not being updated; null if it is. */
  get #failure(): string | null {
    return this.#opened instanceof AmanError ? null : this.#opened.updater.failure
  }

  /**
   * Adds the updater's failure to an error about a missing index, because waiting does not help while the index is
   * not being updated.
   */
  #refuse(error: unknown): never {
    const isThere = !(error instanceof AmanError && ABSENCES.has(error.code))
    if (isThere || this.#failure === null) throw error
    throw new AmanError(error.code, `${error.message}; ${this.#failure}`, { cause: error })
  }

  /** The answer with the problems among its notices; a context has them among its hints already. */
  #withProblems<T extends IndexDependent>(answer: T): T {
    const problems = this.#problems
    if (problems.length === 0 || answer.notices === undefined) return answer
    const extended = { ...answer, notices: [...answer.notices, ...problems] }
    const { partial } = answer
    return partial && this.#failure !== null
      ? { ...extended, partial: { ...partial, is_stopped: true } }
      : extended
  }

  #onProgress(progress: IndexProgress, options: ProjectOptions): void {
    if (progress.phase !== this.#progress?.phase && progress.total >= MIN_LOGGED_FILES) {
      log.info("indexing", { phase: progress.phase, total: progress.total })
    }
    this.#progress = progress
    options.onProgress?.(progress)
  }
}

/** Waits for recent changes to be indexed, up to the limits above. Throws NO_ROOT if the project is gone. */
async function waitForUpdates(project: Project, updater: IndexUpdater): Promise<void> {
  const isReady = updater.hasRun && readsIndex(project, (reader) => reader !== null)
  await updater.catchUp(isReady ? MAX_SCAN_WAIT_MS : MAX_UPDATE_WAIT_MS)
  if (readsIndex(project, (reader) => reader?.isDamaged ?? false)) await updater.repair(MAX_UPDATE_WAIT_MS)
  requireFolder(project.root)
}

/** Result of `test`; false if the index is damaged, because the query that follows repairs it (with-index-repair.ts). */
function readsIndex(project: Project, test: (reader: IndexReader | null) => boolean): boolean {
  try {
    return test(project.reader())
  } catch (error) {
    if (!isDamage(error)) throw error
    return false
  }
}

function openOrError(options: ProjectOptions): OpenedProject | AmanError {
  try {
    const project = openProject({ ...options, isServer: true })
    project.requireNarrowRoot()
    return { project, updater: new IndexUpdater(project) }
  } catch (error) {
    if (error instanceof AmanError) return error
    return new AmanError("IO", messageOf(error), { cause: error })
  }
}

/** Options of a question to an index that the updater keeps up to date. */
function answerOptions(updater: IndexUpdater, signal: AbortSignal | undefined): AnswerOptions {
  return { refresh: false, signal, reindex: (paths) => updater.rescan(MAX_UPDATE_WAIT_MS, paths) }
}

type NameKind = "path" | "symbol" | "language"

/** Paths, symbols or languages that complete the typed text; empty while there is no index. */
function completeNames(project: Project, kind: NameKind, typed: string, limit: number): string[] {
  const store = project.reader()?.store
  if (store === undefined) return []
  switch (kind) {
    case "path":
      return store.files.pathsWith(typed, limit)
    case "symbol":
      return store.symbols.namesFrom(typed, limit)
    case "language":
      return store.files
        .languages()
        .flatMap(({ language }) => (language.startsWith(typed) ? [language] : []))
        .slice(0, limit)
  }
}

/**
 * Calls `onChange` when the user's or the project's settings file appears, disappears or is written. Polls,
 * because the user's file may be in a folder that does not exist yet, and checking two files is cheap.
 */
function watchSettings(root: string, onChange: () => void): Disposable {
  const paths = settingsFiles(root, process.env).map(({ path }) => path)
  let lastStamp = filesStamp(paths)
  return everyHalfSecond(() => {
    const now = filesStamp(paths)
    if (now === lastStamp) return
    lastStamp = now
    onChange()
  })
}

function filesStamp(paths: readonly string[]): string {
  return paths
    .map((path) => {
      try {
        const found = statSync(path, { throwIfNoEntry: false })
        return found ? `${found.size} ${found.mtimeMs}` : "none"
      } catch {
        return "none"
      }
    })
    .join()
}
