/*
 * The memory as used from one folder. Opens the store, identifies the folder's project, receives changes of the
 * shared folder, keeps the recall index current (recall.ts), and embeds entries in the background if an
 * embedder is configured. The class `Sources` gives access to the source lines and symbols that entries refer to.
 */

import { existsSync } from "node:fs"
import { AmanError, type Config, loadConfig, log, userDataDir } from "../../base/index.ts"
import { openProject, type Project, projectRoot } from "../../index/index.ts"
import { type CaptureResult, captureSource } from "../anchors/capture.ts"
import { SourceChecker, type SourceState } from "../anchors/check.ts"
import type { LocalProject } from "../anchors/place.ts"
import type { EntrySource } from "../entries/entry.ts"
import { remarkText } from "../formats/imported.ts"
import { Knowledge } from "../knowledge.ts"
import {
  folderId,
  identifyProject,
  type ProjectCandidate,
  type ProjectIdentity,
  projectAt,
} from "../projects/projects.ts"
import { countWaiting } from "../sharing/sync-shared.ts"
import { ConfiguredVectors, errorWithHint } from "./embedding/configured-vectors.ts"
import { visibleProjects } from "./entries/entry-names.ts"
import { pendingChanges, pendingNotice } from "./pending-changes.ts"
import { type LoadedMemory, loadedWithin, RecallSource } from "./recall.ts"
import { type CodeSymbol, codeSymbols, localProject } from "./sources.ts"
import { knowledgePath, type MemoryChoice } from "./store/memory-handle.ts"

/**
 * Opens the user's memory for the folder in `choice`. A store that cannot be written is opened for reading
 * only; with `mustWrite` it throws instead. `isForAgent`: only the entries of this project and those of all projects
 * are within reach.
 */
export async function openMemory(
  choice: MemoryChoice,
  { mustWrite = false, isForAgent = false } = {},
): Promise<Memory> {
  const root = projectRoot(choice)
  const memory = new Memory(openKnowledge(knowledgePath(), mustWrite), root, isForAgent)
  try {
    await memory.identify({ make: false })
    memory.receive()
    return memory
  } catch (error) {
    memory.close()
    throw error
  }
}

function openKnowledge(path: string, mustWrite: boolean): Knowledge {
  try {
    return new Knowledge({ path, now: Date.now })
  } catch (error) {
    const isReadable = error instanceof AmanError && error.code === "IO" && existsSync(path)
    if (mustWrite || !isReadable) throw error
    return new Knowledge({ path, now: Date.now, readonly: true, unwritable: error })
  }
}

/** The user's memory as used from one project, or from outside of any project. */
export class Memory implements Disposable {
  /** The store; for an agent, the part of it that an agent may reach. */
  readonly knowledge: Knowledge
  /** The whole store. */
  readonly #whole: Knowledge
  /** The project's root, absolute; null outside of projects. */
  readonly root: string | null
  readonly sources: Sources
  readonly configuredVectors: ConfiguredVectors
  readonly #recall: RecallSource
  readonly #closing = new AbortController()
  /** Remarks on the shared folder; each is reported once. */
  readonly #remarks: string[] = []
  #identified: ProjectIdentity | null = null
  /**
   * Identity (device and inode) of the folder at `root` when the project was identified. It differs once another
   * folder has taken its place.
   */
  #folder: string | null = null
  /** True once an answer has had the notice that the folder resembles another project. */
  #hasAskedAboutProject = false
  /** Number of changes in the shared folder that wait for review, as last reported. */
  #waitingChanges = 0
  #config: Config | null
  #embedding: Promise<void> | null = null
  /** Time from which a failed embedder may be asked again, in milliseconds of the monotonic clock. */
  #embedNotBefore = 0
  /**
   * True once this process has checked that the configured model is the one with which the stored vectors were
   * computed.
   */
  #hasEmbedded = false
  /** Number of the last event at which every note had been read together with others. */
  #readAt = -1

  /** `config`: the settings to use; null: those of the user. */
  constructor(whole: Knowledge, root: string | null, isForAgent = false, config: Config | null = null) {
    this.#config = config
    this.#whole = whole
    this.knowledge = isForAgent ? whole.within(() => visibleProjects(this)) : whole
    this.root = root
    this.sources = new Sources(root)
    this.configuredVectors = new ConfiguredVectors(whole, () => this.config)
    this.#recall = new RecallSource(whole, this.configuredVectors)
  }

  /** The user's settings only, because a project must not decide about the user's memory. */
  get config(): Config {
    this.#config ??= loadConfig(userDataDir())
    return this.#config
  }

  /** Id of this folder's project; null outside of projects, or when nothing is remembered for it yet. */
  project(): string | null {
    if (this.root === null) return null
    const { projects } = this.knowledge
    const id = this.#identified?.project?.id
    // The cached id is used only while it is valid: another process may have linked this folder to another project, or
    // the folder may have been replaced.
    if (id !== undefined && projects.get(id) !== null && this.#isStillProject(id)) return id
    const project = projectAt(projects, this.root)
    const candidates = project === null ? (this.#identified?.candidates ?? []) : []
    const failure = project === null ? (this.#identified?.failure ?? null) : null
    this.#identified = { project, candidates, failure }
    return project?.id ?? null
  }

  #isStillProject(id: string): boolean {
    if (folderId(this.root!) !== this.#folder) return false
    const recorded = this.knowledge.projects.withMark("path", this.root!)
    return recorded.length === 0 || recorded.includes(id)
  }

  /** For long-running processes: identifies the project again when the folder was replaced by another. */
  async identifyAgain(): Promise<void> {
    if (this.root !== null && folderId(this.root) !== this.#folder) await this.identify({ make: false })
  }

  /** Id of this folder's project, which is created when missing; null outside of projects. */
  async ownProject(): Promise<string | null> {
    const projectId = this.project()
    if (projectId !== null || this.root === null) return projectId
    await this.identify({ make: true })
    this.requireIdentified()
    return this.#identified?.project?.id ?? null
  }

  /**
   * Throws IO if git failed, because only git could have told whether this folder is still the project that is known
   * at its path.
   */
  requireIdentified(): void {
    const { failure, candidates: [candidate] = [] } = this.#identified ?? {}
    if (!failure || candidate === undefined) return
    const why = failure === "timeout" ? "took too long" : "failed"
    const project = JSON.stringify(candidate.name)
    throw new AmanError("IO", `cannot check whether this folder is your project ${project}: git ${why}`, {
      hint: `try again; if this is your own copy and git keeps failing, run: aman memory link ${candidate.id}`,
    })
  }

  async identify({ make }: { readonly make: boolean }): Promise<void> {
    if (this.root === null) return
    this.#folder = folderId(this.root)
    this.#identified = await identifyProject(this.#whole, this.root, { now: Date.now(), make })
  }

  /**
   * Counts the changes that others made in the project's shared folder, if the user shares the project. Takes little
   * time while nothing is new. Nothing is stored before a person accepts it.
   */
  receive(): void {
    const project = this.project()
    if (this.root === null || project === null || this.knowledge.readonly) return
    const [dataDir, now] = [userDataDir(), new Date().toISOString()]
    const opened = countWaiting(this.#whole, this.root, { project, now, dataDir })
    this.#remarks.push(...(opened?.remarks ?? []).map(remarkText))
    const waiting = opened?.held ?? 0
    if (waiting !== this.#waitingChanges && waiting > 0)
      this.#remarks.push(pendingNotice(pendingChanges(waiting)))
    this.#waitingChanges = waiting
  }

  /** Notices about this folder for one answer. Some are returned only once, so the property is read once per answer. */
  get notices(): string[] {
    const alikeNotices = this.#hasAskedAboutProject ? [] : alikeNotice(this.#identified?.candidates ?? [])
    this.#hasAskedAboutProject ||= alikeNotices.length > 0
    const { readonly, unwritable } = this.knowledge
    const why = unwritable?.message ?? `${knowledgePath()} is read-only`
    return [
      ...(readonly ? [`new entries cannot be stored: ${why}`] : []),
      ...[...alikeNotices, ...this.sources.notices, ...this.#remarks.splice(0)],
      ...this.configuredVectors.notices(),
    ]
  }

  /**
   * The current entries within reach without deleted ones, with their recall index and the graph of all entities, whose
   * callers choose the projects.
   */
  async loaded(): Promise<LoadedMemory> {
    this.receive()
    const loaded = await this.#recall.current()
    return this.knowledge === this.#whole ? loaded : loadedWithin(loaded, visibleProjects(this))
  }

  /**
   * Adds newly stored entries to the stored recall index, and the vectors of some, so that the next question does not
   * have to wait for it.
   */
  async prepareRecall(): Promise<void> {
    try {
      await (await this.loaded()).queryEmbedder()
    } catch (error) {
      // The entries themselves are stored. The next question computes the index again and reports an error if that
      // fails.
      log.debug("the index of the memory was not stored", { message: String(error) })
    }
  }

  /** For long-running processes: computes missing vectors in the background. */
  embedSoon(): void {
    const { config, knowledge } = this
    const isOff = config.knowledge.embedder === "static" && config.embeddings.encoder === "off"
    const isEarly = performance.now() < this.#embedNotBefore
    if (isOff || isEarly || knowledge.readonly || this.#embedding !== null) return
    this.#embedding = this.#embed().finally(() => {
      this.#embedding = null
    })
  }

  async #embed(): Promise<void> {
    const { signal } = this.#closing
    const { knowledge, embeddings } = this.config
    const isBuiltIn = knowledge.embedder === "static"
    try {
      const vectors = (await this.loaded()).configuredVectors()
      const seq = this.#whole.lastSeq()
      const isRead = embeddings.encoder === "off" || this.#readAt === seq
      const isEmbedded = vectors === null ? isBuiltIn : vectors.isWhole && (this.#hasEmbedded || isBuiltIn)
      if (signal.aborted || (isRead && isEmbedded)) return
      const { embedEntries } = await import("./embedding/embed-entries.ts")
      await embedEntries(this, { signal, isIdle: embeddings.encoder === "idle" })
      this.#hasEmbedded = true
      this.#readAt = seq
    } catch (error) {
      this.#embedNotBefore = performance.now() + EMBED_AGAIN_MS
      if (signal.aborted) return
      if (!(error instanceof AmanError)) log.error("memories cannot be embedded", { message: String(error) })
      else if (error.code !== "INTERRUPTED") this.configuredVectors.addNotice(errorWithHint(error))
    }
  }

  close(): void {
    this.#closing.abort()
    this.sources[Symbol.dispose]()
    this.#whole.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }
}

const EMBED_AGAIN_MS = 30_000

/**
 * A notice that this folder resembles a known project. It leaves out that project's path on this machine, because the
 * author of the folder may be able to read the notice.
 */
function alikeNotice([first, ...others]: readonly ProjectCandidate[]): string[] {
  if (first === undefined) return []
  const more = others.length === 0 ? "" : `, and like ${others.length} more (aman memory projects)`
  return [
    `this folder looks like your project ${JSON.stringify(first.name)}${more}: ${first.alike}. ` +
      "It is treated as a separate project, because a downloaded folder can imitate that; " +
      `if it is your own copy, run in it: aman memory link ${first.id}`,
  ]
}

/** The current source lines and symbols of one project, to which entries refer. */
class Sources implements Disposable {
  readonly #root: string | null
  #project: Project | null = null
  #place: LocalProject | null = null
  #checker: SourceChecker | null = null

  constructor(root: string | null) {
    this.#root = root
  }

  /**
   * Captures the source that `typed` names. `isGlobal`: for an entry of all projects, whose path belongs to no folder.
   */
  capture(typed: string, isGlobal = false): Promise<CaptureResult> {
    return captureSource(isGlobal ? null : this.#currentPlace(), typed)
  }

  /**
   * State of a source: whether its lines are unchanged, and where they are. `isHere`: the entry belongs to this
   * project.
   */
  state(source: EntrySource, isHere: boolean): Promise<SourceState> {
    this.#checker ??= new SourceChecker(this.#currentPlace())
    const checker = isHere ? this.#checker : new SourceChecker(null)
    return checker.check(source, performance.now())
  }

  /** Definitions of a symbol in the project's index. */
  symbols(name: string): readonly CodeSymbol[] {
    const project = this.#openedProject()
    return project === null ? [] : codeSymbols(project, name)
  }

  get notices(): readonly string[] {
    return this.#checker?.notices ?? []
  }

  [Symbol.dispose](): void {
    this.#project?.close()
  }

  #currentPlace(): LocalProject | null {
    const project = this.#openedProject()
    if (project === null) return null
    this.#place ??= localProject(project)
    return this.#place
  }

  #openedProject(): Project | null {
    if (this.#root === null) return null
    this.#project ??= openProject({ cwd: this.#root, root: this.#root })
    return this.#project
  }
}
