import { existsSync } from "node:fs"
import { AmanError } from "../../base/errors.ts"
import { log } from "../../base/log.ts"
import { userDataDir } from "../../base/paths.ts"
import { type Config, loadConfig } from "../../config/load.ts"
import { receiveShared } from "../../knowledge/exchange/sync-shared.ts"
import { Knowledge } from "../../knowledge/knowledge.ts"
import { type Identified, identifyProject, projectAt } from "../../knowledge/projects/identify.ts"
import { knowledgePath, type MemoryChoice, rootOf } from "./knowledge-place.ts"
import { OtherVectors, shown } from "./other-vectors.ts"
import { type Known, RecallSource } from "./recall-source.ts"
import { Sources } from "./sources.ts"

/**
 * The user's knowledge, opened in the place that the choice names. What cannot be written can still be recalled, unless
 * it `mustWrite`.
 */
export async function openMemory(choice: MemoryChoice, { mustWrite = false } = {}): Promise<Memory> {
  const root = rootOf(choice)
  const memory = new Memory(openKnowledge(knowledgePath(), mustWrite), root)
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

/** Entries that Orama ranks in about a millisecond. */
const MOST_JOINED = 2000

/** What is known, as it is seen from one project, or from none. */
export class Memory implements Disposable {
  readonly knowledge: Knowledge
  /** Absolute; null in a place that is no project. */
  readonly root: string | null
  readonly sources: Sources
  readonly otherVectors: OtherVectors
  readonly #recall: RecallSource
  readonly #closing = new AbortController()
  /** Of the shared folder; said once. */
  readonly #remarks: string[] = []
  #identified: Identified | null = null
  #config: Config | null = null
  #embedding: Promise<void> | null = null
  /** When a failed embedder is asked again; milliseconds of a clock that never goes back. */
  #embedNotBefore = 0
  /** Whether the model was looked at: it may be another than that of the last time. */
  #hasEmbedded = false

  constructor(knowledge: Knowledge, root: string | null) {
    this.knowledge = knowledge
    this.root = root
    this.sources = new Sources(root)
    this.otherVectors = new OtherVectors(knowledge, () => this.allConfig)
    this.#recall = new RecallSource(knowledge, this.otherVectors)
  }

  /** The user's alone: whatever a project says of itself, it says nothing of what is remembered. */
  get config(): Config["knowledge"] {
    return this.allConfig.knowledge
  }

  get allConfig(): Config {
    this.#config ??= loadConfig(userDataDir())
    return this.#config
  }

  /** Id of the project of this place; null where it is none, or where nothing has been remembered of it yet. */
  project(): string | null {
    if (this.root === null) return null
    const { projects } = this.knowledge
    const id = this.#identified?.project?.id
    // Another process may have made it, or linked the folder to another one.
    if (id !== undefined && projects.get(id) !== null) return id
    const project = projectAt(projects, this.root)
    const candidates = project === null ? (this.#identified?.candidates ?? []) : []
    this.#identified = { project, candidates, failure: null }
    return project?.id ?? null
  }

  /** The same, made where it is missing. */
  async ownProject(): Promise<string | null> {
    const known = this.project()
    if (known !== null || this.root === null) return known
    await this.identify({ make: true })
    return this.#identified?.project?.id ?? null
  }

  async identify({ make }: { readonly make: boolean }): Promise<void> {
    if (this.root === null) return
    this.#identified = await identifyProject(this.knowledge, this.root, { now: Date.now(), make })
  }

  /**
   * Takes in what others wrote into the project's shared folder, where the user shares it; cheap while nothing is new.
   */
  receive(): void {
    const project = this.project()
    if (this.root === null || project === null || this.knowledge.readonly) return
    const received = receiveShared(this.knowledge, this.root, {
      project,
      now: new Date().toISOString(),
      dataDir: userDataDir(),
    })
    for (const { file, line, message } of received?.remarks ?? [])
      this.#remarks.push(`${file}${line === null ? "" : `:${line}`}: ${message}`)
  }

  /** What is to be said about this place, once an answer. */
  get notices(): string[] {
    const candidates = this.#identified?.candidates ?? []
    const also = candidates.map(
      ({ id, name, paths }) =>
        `this folder may be the project ${name}${paths[0] ? ` of ${paths[0].path}` : ""}, which is known already: if so, run: aman memory link ${id}`,
    )
    const { readonly, unwritable } = this.knowledge
    const why = unwritable?.message ?? `${knowledgePath()} is open for reading only`
    const reading = readonly ? [`nothing new is kept, as it cannot be written: ${why}`] : []
    return [
      ...reading,
      ...also,
      ...this.sources.notices,
      ...this.#remarks.splice(0),
      ...this.otherVectors.notices(),
    ]
  }

  /** Everything known, ready to be searched and current. */
  known(): Promise<Known> {
    this.receive()
    return this.#recall.current()
  }

  /**
   * For a process that stays: Orama ranks by keywords from when it has taken in all entries. It does so in slices, so
   * that no call waits; a process for one question is done before, and of more entries it would take longer for each
   * question than all the rest together (docs/decisions/0016-recall-index.md).
   */
  async warm(): Promise<void> {
    const { index } = await this.known()
    if (index.size > MOST_JOINED) return
    const { OramaTexts } = await import("../../keyword/orama-texts.ts")
    await index.join(new OramaTexts(), () => new Promise((resolve) => setImmediate(resolve)))
  }

  /** For a process that stays: what has no vectors of the user's embedder yet is given them, while calls go on. */
  embedSoon(): void {
    const isDue = performance.now() >= this.#embedNotBefore
    if (this.config.embedder === "static" || this.knowledge.readonly || this.#embedding !== null || !isDue)
      return
    this.#embedding = this.#embed().finally(() => {
      this.#embedding = null
    })
  }

  async #embed(): Promise<void> {
    const { signal } = this.#closing
    try {
      const { index } = await this.known()
      if (signal.aborted || (index.second?.isWhole && this.#hasEmbedded)) return
      const { embedKnown } = await import("./embed-known.ts")
      await embedKnown(this, { signal })
      this.#hasEmbedded = true
    } catch (error) {
      if (signal.aborted) return
      this.#embedNotBefore = performance.now() + EMBED_AGAIN_MS
      if (error instanceof AmanError) this.otherVectors.say(shown(error))
      else log.error("memories cannot be embedded", { message: String(error) })
    }
  }

  close(): void {
    this.#closing.abort()
    this.sources[Symbol.dispose]()
    this.knowledge.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }
}

const EMBED_AGAIN_MS = 30_000
