import { AmanError } from "../base/errors.ts"
import { log } from "../base/log.ts"
import type { IndexProgress, ReadAnswer, SearchAnswer, SearchRequest, StatusAnswer } from "./answers.ts"
import { Follower } from "./follow-project.ts"
import { type GrepAnswer, type GrepQuestion, grepAnswer } from "./grep-answer.ts"
import { type ListedFile, listFiles } from "./list-files.ts"
import { openProject, type Project, type ProjectOptions } from "./open-project.ts"
import { type ReadRequest, readFile } from "./read-file.ts"
import { searchProject } from "./search-project.ts"
import { projectStatus } from "./status-project.ts"

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

export class ServedProject {
  readonly #project: Project | AmanError
  readonly #follower: Follower | null
  #progress: IndexProgress | null = null

  constructor(options: ProjectOptions) {
    this.#project = open({ ...options, onProgress: (progress) => this.#report(progress, options) })
    this.#follower = this.#project instanceof AmanError ? null : new Follower(this.#project)
  }

  async search(request: SearchRequest, signal?: AbortSignal): Promise<SearchAnswer> {
    const project = this.#open()
    const follower = this.#follower!
    const isReady = project.reader() !== null && follower.hasRun
    await follower.catchUp(isReady ? LOOK_PATIENCE_MS : PATIENCE_MS)
    const answer = await searchProject(project, request, {
      refresh: false,
      signal,
      onStale: async () => {
        await follower.lookAgain(PATIENCE_MS)
        return true
      },
    })
    return this.#withFailure(answer)
  }

  /** Reads the files as they are; no index is needed. */
  async grep(question: GrepQuestion, signal?: AbortSignal): Promise<GrepAnswer> {
    return grepAnswer(this.#open(), question, signal)
  }

  async read(request: ReadRequest): Promise<ReadAnswer> {
    return readFile(this.#open(), request)
  }

  get root(): string {
    return this.#open().root
  }

  /** Indexed files in the order of their paths. */
  files(after: string, limit: number): ListedFile[] {
    return listFiles(this.#open(), after, limit)
  }

  async status(): Promise<StatusAnswer> {
    const project = this.#open()
    const { leads, waiting, isRunning } = this.#follower!
    const progress = isRunning ? this.#progress : null
    return this.#withFailure(await projectStatus(project, { leads, waiting, progress }))
  }

  async close(): Promise<void> {
    await this.#follower?.close()
    if (!(this.#project instanceof AmanError)) this.#project.close()
  }

  #open(): Project {
    if (this.#project instanceof AmanError) throw this.#project
    return this.#project
  }

  #withFailure<T extends { readonly notices: readonly string[] }>(answer: T): T {
    const failure = this.#follower?.failure ?? null
    return failure === null ? answer : { ...answer, notices: [...answer.notices, failure] }
  }

  #report(progress: IndexProgress, options: ProjectOptions): void {
    if (progress.phase !== this.#progress?.phase && progress.total >= WORTH_TELLING) {
      log.info("indexing", { phase: progress.phase, total: progress.total })
    }
    this.#progress = progress
    options.onProgress?.(progress)
  }
}

function open(options: ProjectOptions): Project | AmanError {
  try {
    return openProject(options)
  } catch (error) {
    if (error instanceof AmanError) return error
    return new AmanError("IO", error instanceof Error ? error.message : String(error), { cause: error })
  }
}
