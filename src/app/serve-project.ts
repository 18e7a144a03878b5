import { AmanError } from "../base/errors.ts"
import { log } from "../base/log.ts"
import type { IndexProgress, ReadAnswer, SearchAnswer, SearchRequest, StatusAnswer } from "./answers.ts"
import { completeNames, type NameKind } from "./complete-names.ts"
import type { MemoryHints } from "./context/memories.ts"
import type { ContextBundle, ContextRequest } from "./context/request.ts"
import { Follower } from "./follow-project.ts"
import { type GrepAnswer, type GrepQuestion, grepAnswer } from "./grep-answer.ts"
import { type IndexMark, indexMark } from "./index-mark.ts"
import { type ListedFile, listFiles } from "./list-files.ts"
import type { MapAnswer } from "./map-project.ts"
import { openProject, type Project, type ProjectOptions } from "./open-project.ts"
import { type ReadRequest, readFile } from "./read-file.ts"
import { requireFolder } from "./root.ts"
import { searchProject } from "./search-project.ts"
import { watchSettings } from "./settings-watch.ts"
import { projectStatus } from "./status-project.ts"
import type { SymbolAnswer, SymbolRequest } from "./symbol-answer.ts"

/** A project behind a server: indexed in the background, answering from what is there. Never throws. */
export function serveProject(options: ProjectOptions): ServedProject {
  return new ServedProject(options)
}

// A query waits this long for a look to finish, since most do; and this long where there is nothing to answer from
// yet, or what there is turned out stale. Then it answers from what is there.
const LOOK_PATIENCE_MS = 60
const PATIENCE_MS = 800
// Runs over fewer files are over before anybody has read of them.
const WORTH_TELLING = 100

const ABSENCES: ReadonlySet<string> = new Set(["INDEX_MISSING", "NOT_FOUND"])

/** Of an answer what the state of the index has a part in. */
type Told = { readonly notices: readonly string[]; readonly partial?: SearchAnswer["partial"] }

/** With the settings of one moment; others make another. */
type Opened = { readonly project: Project; readonly follower: Follower }

export class ServedProject {
  readonly #options: ProjectOptions
  readonly #settings: Disposable
  /** What is being answered: a project that is left stays open for it. */
  readonly #calls = new Set<Promise<unknown>>()
  #opened: Opened | AmanError
  #leaving: Promise<unknown> = Promise.resolve()
  #progress: IndexProgress | null = null
  #problem: string | null = null

  constructor(options: ProjectOptions) {
    this.#options = { ...options, onProgress: (progress) => this.#report(progress, options) }
    this.#opened = open(this.#options)
    const root = this.#opened instanceof AmanError ? (options.root ?? options.cwd) : this.#opened.project.root
    this.#settings = watchSettings(root, () => this.#openAnew())
  }

  search(request: SearchRequest, signal?: AbortSignal): Promise<SearchAnswer> {
    return this.#call(async ({ project, follower }) => {
      await caughtUp(project, follower)
      const onStale = looksAgain(follower)
      return this.#withProblems(await searchProject(project, request, { refresh: false, signal, onStale }))
    })
  }

  symbol(request: SymbolRequest, signal?: AbortSignal): Promise<SymbolAnswer> {
    return this.#call(async ({ project, follower }) => {
      await caughtUp(project, follower)
      const onStale = looksAgain(follower)
      const { symbolOf } = await import("./symbol-project.ts")
      const answered = symbolOf(project, request, { refresh: false, signal, onStale })
      return this.#withProblems(await answered.catch((error) => this.#refuse(error)))
    })
  }

  context(request: ContextRequest, memories: MemoryHints, signal?: AbortSignal): Promise<ContextBundle> {
    return this.#call(async ({ project, follower }) => {
      await caughtUp(project, follower)
      const onStale = looksAgain(follower)
      const { contextOf } = await import("./context-project.ts")
      const notices = this.#problems
      return contextOf(project, request, { refresh: false, signal, onStale, memories, notices })
    })
  }

  map(signal?: AbortSignal): Promise<MapAnswer> {
    return this.#call(async ({ project, follower }) => {
      await caughtUp(project, follower)
      const { mapProject } = await import("./map-project.ts")
      return this.#withProblems(await mapProject(project, { refresh: false, signal }))
    })
  }

  /** Reads the files as they are; no index is needed. */
  grep(question: GrepQuestion, signal?: AbortSignal): Promise<GrepAnswer> {
    return this.#call(({ project }) => grepAnswer(project, question, signal))
  }

  read(request: ReadRequest): Promise<ReadAnswer> {
    return this.#call(({ project }) => {
      requireFolder(project.root)
      return readFile(project, request)
    })
  }

  /** Of a file, the part that a line is in, as it was indexed; without an index, or between two parts, that line. */
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

  /** Indexed files in the order of their paths. */
  files(after: string, limit: number): ListedFile[] {
    return listFiles(this.#open().project, after, limit)
  }

  /** Names of the project that somebody may be about to type. */
  complete(kind: NameKind, typed: string, limit: number): string[] {
    return completeNames(this.#open().project, kind, typed, limit)
  }

  /** What is indexed, as it is told apart from what was before; null while there is nothing. */
  indexMark(): IndexMark | null {
    return this.#opened instanceof AmanError ? null : indexMark(this.#opened.project)
  }

  status(): Promise<StatusAnswer> {
    return this.#call(async ({ project, follower: { leads, waiting, isRunning } }) => {
      const progress = isRunning ? this.#progress : null
      return this.#withProblems(await projectStatus(project, { leads, waiting, progress }))
    })
  }

  async close(): Promise<void> {
    this.#settings[Symbol.dispose]()
    await this.#leaving
    if (!(this.#opened instanceof AmanError)) await this.#leave(this.#opened)
  }

  #open(): Opened {
    if (this.#opened instanceof AmanError) throw this.#opened
    return this.#opened
  }

  async #call<T>(use: (opened: Opened) => Promise<T>): Promise<T> {
    const call = use(this.#open())
    this.#calls.add(call)
    try {
      return await call
    } finally {
      this.#calls.delete(call)
    }
  }

  /** With other settings; wrong ones are said, and those of before hold until they are right. */
  #openAnew(): void {
    const old = this.#opened
    const opened = open(this.#options)
    this.#problem = null
    if (!(opened instanceof AmanError) || old instanceof AmanError) {
      this.#opened = opened
      log.info("settings read again")
      if (!(old instanceof AmanError)) this.#leaving = this.#leaving.then(() => this.#leave(old))
      return
    }
    this.#problem = `the settings of before hold: ${opened.message}`
    log.warn("settings not read again", { error: opened.message })
  }

  async #leave({ project, follower }: Opened): Promise<void> {
    await follower.close()
    await Promise.allSettled(this.#calls)
    project.close()
  }

  get #problems(): string[] {
    return [this.#failure, this.#problem].filter((problem) => problem !== null)
  }

  /** Why the index is not being updated. */
  get #failure(): string | null {
    return this.#opened instanceof AmanError ? null : this.#opened.follower.failure
  }

  /** What is not in an index that nobody is making is not to be waited for. */
  #refuse(error: unknown): never {
    const isThere = !(error instanceof AmanError && ABSENCES.has(error.code))
    if (isThere || this.#failure === null) throw error
    throw new AmanError(error.code, `${error.message}; ${this.#failure}`, { cause: error })
  }

  #withProblems<T extends Told>(answer: T): T {
    const problems = this.#problems
    if (problems.length === 0) return answer
    const told = { ...answer, notices: [...answer.notices, ...problems] }
    const { partial } = answer
    return partial && this.#failure !== null ? { ...told, partial: { ...partial, is_stopped: true } } : told
  }

  #report(progress: IndexProgress, options: ProjectOptions): void {
    if (progress.phase !== this.#progress?.phase && progress.total >= WORTH_TELLING) {
      log.info("indexing", { phase: progress.phase, total: progress.total })
    }
    this.#progress = progress
    options.onProgress?.(progress)
  }
}

/** Waits for what has just changed, as long as a caller should. Throws NO_ROOT where the project is gone. */
async function caughtUp(project: Project, follower: Follower): Promise<void> {
  const isReady = project.reader() !== null && follower.hasRun
  await follower.catchUp(isReady ? LOOK_PATIENCE_MS : PATIENCE_MS)
  if (project.reader()?.isDamaged) await follower.mend(PATIENCE_MS)
  requireFolder(project.root)
}

function open(options: ProjectOptions): Opened | AmanError {
  try {
    const project = openProject(options)
    return { project, follower: new Follower(project) }
  } catch (error) {
    if (error instanceof AmanError) return error
    return new AmanError("IO", error instanceof Error ? error.message : String(error), { cause: error })
  }
}

/** For who finds that files are others than the index says. */
function looksAgain(follower: Follower) {
  return (paths: readonly string[]) => follower.lookAgain(PATIENCE_MS, paths)
}
