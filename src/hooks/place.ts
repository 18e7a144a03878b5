import { existsSync, realpathSync } from "node:fs"
import { basename, dirname, isAbsolute, join, relative } from "node:path"
import { knowledgePath, rootOf } from "../app/knowledge/knowledge-place.ts"
import { openProject, type Project } from "../app/open-project.ts"
import { AmanError } from "../base/errors.ts"
import { log } from "../base/log.ts"
import { isInside, toPosix, userDataDir } from "../base/paths.ts"
import { type Config, loadConfig } from "../config/load.ts"
import { type Lines, linesOf } from "../knowledge/anchors/lines.ts"
import type { Entry } from "../knowledge/entry.ts"
import type { Knowledge } from "../knowledge/knowledge.ts"
import { strengthByHolders } from "../knowledge/recall/word-match.ts"
import type { IndexReader } from "../search/reader.ts"
import { readSource } from "../text/read-source.ts"
import type { Clock } from "./clock.ts"
import { keepNoteWords, type NoteWords, readNoteWords } from "./note-words.ts"

/** Notes that no longer hold are counted, too, and make words less rare than they are. */
const SURE = 0.8

/**
 * What a hook may look at: the notes and the index of the folder that the agent works in. Opened as it is needed, for
 * reading only; nothing is made, indexed, moved or waited for.
 */
export class HookPlace implements Disposable {
  /** Null in a folder that is no project. */
  readonly root: string | null
  readonly project: Project | null
  readonly config: Config
  readonly #clock: Clock
  #knowledge: Knowledge | null | undefined
  #entries: readonly Entry[] | undefined
  #projectId: string | null | undefined
  #words: NoteWords | null | undefined
  readonly #lines = new Map<string, Lines | null>()

  constructor(cwd: string, clock: Clock) {
    this.#clock = clock
    this.root = rootOf({ cwd })
    this.project = this.root === null ? null : openProject({ cwd: this.root, root: this.root })
    this.config = this.project?.config ?? loadConfig(userDataDir())
  }

  get now(): Date {
    return this.#clock.now
  }

  /** What is not found by then is left out. */
  get isLate(): boolean {
    return this.#clock.isPast(this.config.hooks.deadlineMs)
  }

  /** What holds now, of this project and of all; nothing where the store is broken. */
  get entries(): readonly Entry[] {
    this.#entries ??= attempt("notes", () => this.#list({ asOf: "now" }), [])
    return this.#entries
  }

  /** False: no note has so many words of a text that it would be said. */
  mayMatch(text: string): boolean {
    const words = this.#noteWords()
    return words === null || strengthByHolders(text, words) >= SURE * this.config.hooks.threshold
  }

  /** False: no note speaks of a thing of the code, or of a file, by any of these names. */
  mayName(names: readonly string[], path?: string): boolean {
    const words = this.#noteWords()
    if (words === null || (path !== undefined && words.hasFile(path))) return true
    return names.some(words.hasName)
  }

  /** Takes longer than asking it, so not beside every tool. */
  keepNoteWords(): void {
    if (this.#noteWords() !== null || this.isLate) return
    attempt("words of notes", () => keepNoteWords(this.root, this.#list({})), undefined)
  }

  /** Number of the last thing that happened to what is known. */
  get lastEvent(): number {
    return this.#opened()?.lastSeq() ?? 0
  }

  /** Whether there is an index of the project. */
  get isIndexed(): boolean {
    return this.ofIndex(() => true, false)
  }

  /** What the index tells; `otherwise` where there is none, or where it is broken. */
  ofIndex<T>(tell: (index: IndexReader, root: string) => T, otherwise: T): T {
    const { project } = this
    if (project === null) return otherwise
    return attempt(
      "index",
      () => {
        const index = project.reader()
        return index === null ? otherwise : tell(index, project.root)
      },
      otherwise,
    )
  }

  /** The project's id; null where nothing was remembered of it. */
  get projectId(): string | null {
    if (this.#projectId === undefined) {
      const projects = this.root === null ? undefined : this.#opened()?.projects
      this.#projectId = projects === undefined ? null : projectIdAt(projects, this.root!)
    }
    return this.#projectId
  }

  /** Of a file of the project; null where it cannot be read. */
  linesOf(path: string): Lines | null {
    const known = this.#lines.get(path)
    if (known !== undefined || this.root === null) return known ?? null
    const source = readSource(this.root, path, this.config.index.maxFileBytes)
    const lines = "reason" in source ? null : linesOf(source.text)
    this.#lines.set(path, lines)
    return lines
  }

  /** As the index names a file; null where it lies elsewhere. It need not be there yet. */
  pathOf(file: string, cwd: string): string | null {
    if (this.root === null || file === "") return null
    const full = realPath(isAbsolute(file) ? file : join(cwd || this.root, file))
    const path = isInside(this.root, full) ? toPosix(relative(this.root, full)) : ""
    return path === "" ? null : path
  }

  [Symbol.dispose](): void {
    this.#knowledge?.close()
    this.project?.close()
  }

  #noteWords(): NoteWords | null {
    if (this.#words === undefined) this.#words = readNoteWords(this.root)
    return this.#words
  }

  #list(filter: { readonly asOf?: "now" }): readonly Entry[] {
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

// Loaded only where notes are read: most calls end before that.

function openKnowledge(options: ConstructorParameters<typeof Knowledge>[0]): Knowledge {
  const module = require("../knowledge/knowledge.ts") as typeof import("../knowledge/knowledge.ts")
  return new module.Knowledge(options)
}

function projectIdAt(projects: Knowledge["projects"], root: string): string | null {
  const { projectAt } =
    require("../knowledge/projects/identify.ts") as typeof import("../knowledge/projects/identify.ts")
  return projectAt(projects, root)?.id ?? null
}

/** Of two things to look at one may be broken: what is said without it is true all the same. */
function attempt<T>(what: string, act: () => T, otherwise: T): T {
  try {
    return act()
  } catch (error) {
    const code = error instanceof AmanError ? error.code : undefined
    log.warn("done without", { what, code, message: error instanceof Error ? error.message : String(error) })
    return otherwise
  }
}

/** Of a file that is to be made, that of its folder. */
function realPath(path: string): string {
  for (const known of [path, dirname(path)]) {
    try {
      return known === path ? realpathSync(path) : join(realpathSync(known), basename(path))
    } catch {
      // Not there.
    }
  }
  return path
}
