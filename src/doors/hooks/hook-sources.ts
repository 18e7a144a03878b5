/*
 * What a hook may read: the notes of the folder's project and its index. Everything is opened on first use, read-only
 * and within the deadline. The word index of the notes (note-words.ts) usually shows that no note matches, so that
 * the store need not be opened.
 */

import { existsSync, realpathSync } from "node:fs"
import { basename, dirname, isAbsolute, join, relative } from "node:path"
import {
  AmanError,
  type Config,
  isInside,
  loadConfig,
  log,
  messageOf,
  spelledOnDisk,
  toPosix,
  userDataDir,
} from "../../base/index.ts"
import { type IndexReader, openProject, type Project, projectRoot } from "../../index/index.ts"
import {
  type Entry,
  type Knowledge,
  knowledgePath,
  loadedAnchorCheck,
  loadedKnowledge,
  loadedProjects,
  loadMemory,
  loadRecall,
  localProject,
  type SourceChecker,
  type SourceState,
  strengthByHolders,
} from "../../memory/index.ts"
import { keepNoteWords, type NoteWords, readNoteWords } from "./notes/note-words.ts"

/**
 * Share of the threshold of strength at which the quick check lets a prompt through to `recall`: about one in twelve
 * unrelated prompts.
 */
const SURE = 0.6
/** Number of recalled entries among which those that mention a code name are looked for. */
const MAX_RECALLED = 200

/** The measured strength from which a match is shown. */
export const STRONG = 1

const NOT_READ = { conflicts: [], odds: () => null }

/** Share of the deadline that checks of sources must leave for the following steps. */
const OTHER_STEPS_PART = 0.3

/**
 * The notes and index that a hook may read, for the folder the agent works in. Opened on first use and
 * read-only; creates nothing, indexes nothing and does not wait.
 */
export class HookSources implements Disposable {
  /** Root of the project; null if the folder is in no project. */
  readonly root: string | null
  readonly project: Project | null
  readonly config: Config
  readonly #clock: Clock
  #knowledge: Knowledge | null | undefined
  #entries: readonly Entry[] | undefined
  #projectId: string | null | undefined
  #words: NoteWords | null | undefined
  #checker: SourceChecker | undefined

  constructor(cwd: string, clock: Clock) {
    this.#clock = clock
    this.root = projectRoot({ cwd })
    this.project = this.root === null ? null : openProject({ cwd: this.root, root: this.root })
    this.config = this.project?.config ?? loadConfig(userDataDir())
    clock.endAt(this.config.hooks.deadlineMs)
  }

  get isTrial(): boolean {
    return this.#clock.isTrial === true
  }

  get now(): Date {
    return this.#clock.now
  }

  /** True if too little time is left before the deadline, so that the remaining steps are left out. */
  get isLate(): boolean {
    return this.#clock.msLeft(this.config.hooks.deadlineMs) < 0
  }

  /** Current entries of this project and global ones; empty if the store cannot be read. */
  get entries(): readonly Entry[] {
    this.#entries ??= resultOr("notes", () => this.#list({ as_of: "now" }), [])
    return this.#entries
  }

  /**
   * The first entries for a prompt by the words of `recall`. A hook asks no embedder: it sends nothing, and opening the
   * sentence encoder would take a fifth of its time, while the chance of a note rests on words.
   */
  async recalled(query: string) {
    const knowledge = this.#opened()
    if (knowledge === null) return { hits: [], confidence: 0 }
    const [{ Memory }, { rankedEntries }] = await Promise.all([loadMemory(), loadRecall()])
    const { knowledge: settings, embeddings } = this.config
    const byWords = {
      knowledge: { ...settings, embedder: "static" as const },
      embeddings: { ...embeddings, encoder: "off" as const },
    }
    const memory = new Memory(knowledge, this.root, false, { ...this.config, ...byWords })
    return rankedEntries(memory, { query }, MAX_RECALLED)
  }

  /** What was read of notes; nothing if the store cannot be read. */
  readonly readings = {
    of: (ids: readonly string[]) =>
      resultOr("readings", () => this.#opened()?.readings.of(ids) ?? NOT_READ, NOT_READ),
  }

  /** False if no note shares enough words with the text to be shown. */
  mayMatch(text: string): boolean {
    const words = this.#noteWords()
    return words === null || strengthByHolders(text, words) >= SURE
  }

  /** False if no note mentions any of these code names or this file. */
  mayName(names: readonly string[], path?: string): boolean {
    const words = this.#noteWords()
    if (words === null || (path !== undefined && words.hasFile(path))) return true
    return names.some(words.hasName)
  }

  /** Writes the word index of the notes unless there is a current one. Too slow to run at every tool call. */
  keepNoteWords(): void {
    if (this.#noteWords() !== null || this.isLate) return
    resultOr("words of notes", () => keepNoteWords(this.root, this.#list({})), undefined)
  }

  /** Sequence number of the memory's last event. */
  get lastEvent(): number {
    return this.#opened()?.lastSeq() ?? 0
  }

  /** True if the project has an index. */
  get isIndexed(): boolean {
    return this.fromIndex(() => true, false)
  }

  /** Result of `read` on the index; `otherwise` if there is no index or it is damaged. */
  fromIndex<T>(read: (index: IndexReader, root: string) => T, otherwise: T): T {
    const { project } = this
    if (project === null) return otherwise
    return resultOr(
      "index",
      () => {
        const index = project.reader()
        return index === null ? otherwise : read(index, project.root)
      },
      otherwise,
    )
  }

  /** The project's id; null if it has no entries. */
  get projectId(): string | null {
    if (this.#projectId === undefined) {
      const projects = this.root === null ? undefined : this.#opened()?.projects
      this.#projectId = projects === undefined ? null : projectIdAt(projects, this.root!)
    }
    return this.#projectId
  }

  /**
   * State of an entry's source, as in the answers of `recall`; null without a source, and if there is no time
   * to check it. The check may read many files, so it gets only a part of the remaining time.
   */
  async sourceState({ source, project }: Entry): Promise<SourceState | null> {
    const { deadlineMs } = this.config.hooks
    const ms = this.#clock.msLeft(deadlineMs) - OTHER_STEPS_PART * deadlineMs
    if (source === null || ms <= 0) return null
    const checker = this.#checkerOf(project)
    const checking = checker.check(source, performance.now())
    if (ms === Number.POSITIVE_INFINITY) return checking
    const late = Promise.withResolvers<null>()
    const timer = setTimeout(() => late.resolve(null), ms)
    try {
      return await Promise.race([checking, late.promise])
    } finally {
      clearTimeout(timer)
    }
  }

  /** Path of a file relative to the root; null if it is outside. The file need not exist. */
  pathOf(file: string, cwd: string): string | null {
    if (this.root === null || file === "") return null
    const full = realPath(isAbsolute(file) ? file : join(cwd || this.root, file))
    const path = isInside(this.root, full) ? toPosix(relative(this.root, full)) : ""
    return path === "" ? null : spelledOnDisk(this.root, path)
  }

  [Symbol.dispose](): void {
    this.#knowledge?.close()
    this.project?.close()
  }

  #checkerOf(project: string | null): SourceChecker {
    const { SourceChecker } = loadedAnchorCheck()
    if (this.project === null || project === null || project !== this.projectId)
      return new SourceChecker(null)
    this.#checker ??= new SourceChecker(localProject(this.project))
    return this.#checker
  }

  #noteWords(): NoteWords | null {
    if (this.#words === undefined) this.#words = readNoteWords(this.root)
    return this.#words
  }

  #list(filter: { readonly as_of?: "now" }): readonly Entry[] {
    const own = this.projectId
    const projects = own === null ? [null] : [own, null]
    return this.#opened()?.list({ projects, ...filter }).entries ?? []
  }

  #opened(): Knowledge | null {
    if (this.#knowledge === undefined) {
      const path = knowledgePath()
      const now = () => this.#clock.now.getTime()
      this.#knowledge = existsSync(path) ? openKnowledge({ path, now, readonly: true }) : null
    }
    return this.#knowledge
  }
}

// These modules are loaded only when notes are read, because most calls end before that.

function openKnowledge(options: ConstructorParameters<typeof Knowledge>[0]): Knowledge {
  const module = loadedKnowledge()
  return new module.Knowledge(options)
}

function projectIdAt(projects: Knowledge["projects"], root: string): string | null {
  const { projectAt } = loadedProjects()
  return projectAt(projects, root)?.id ?? null
}

/**
 * Result of `act`, or `otherwise` if it throws, because an error in one source must not hide the results of the
 * others.
 */
function resultOr<T>(what: string, act: () => T, otherwise: T): T {
  try {
    return act()
  } catch (error) {
    const code = error instanceof AmanError ? error.code : undefined
    log.warn("done without", { what, code, message: messageOf(error) })
    return otherwise
  }
}

/** The path with symbolic links resolved. For a file that does not exist, the links of its folder are resolved. */
function realPath(path: string): string {
  for (const candidate of [path, dirname(path)]) {
    try {
      return candidate === path ? realpathSync(path) : join(realpathSync(candidate), basename(path))
    } catch {
      // The file does not exist.
    }
  }
  return path
}

/** Clock and deadline of a hook. Times are in ms since the process started. */
export type Clock = {
  readonly now: Date
  /** Milliseconds left for further steps; negative when they have to be left out. */
  readonly msLeft: (deadlineMs: number) => number
  /** True for the samples of `aman hook --test`, which are not recorded. */
  readonly isTrial?: boolean
  /** Ends the process at the deadline, even in the middle of a computation. */
  readonly endAt: (deadlineMs: number) => void
}
