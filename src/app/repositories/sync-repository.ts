/*
 * Updates one repository: `run` fetches it, records the fetch, indexes it, and records the result or the error in the
 * manifest. Index jobs of several repositories run one after the other (`IndexJobQueue`), fetches run in parallel
 * (sync.ts).
 */

import { AmanError, messageOf } from "../../base/errors.ts"
import type { ConfigFlags } from "../../config/resolve.ts"
import type { RepoState } from "../../repos/manifest.ts"
import { type Pulled, pull } from "../../repos/pull.ts"
import { indexProject } from "../index/index-project.ts"
import { openClone } from "./clones.ts"
import type { Configured, Repository } from "./configured.ts"
import type { ManifestWriter } from "./manifest-writer.ts"

export type SyncEvent = { readonly name: string; readonly phase: "fetch" | "index" | "done" | "failed" }

export type SyncedRepository = {
  readonly repository: string
  /** "by another": another aman process has updated the repository at the same time. */
  readonly outcome: "cloned" | "updated" | "unchanged" | "empty" | "failed" | "by another"
  readonly commit: string | null
  readonly files: number
  /** Number of files indexed again and of files removed from the index. */
  readonly changed: number
  readonly removed: number
  readonly fetch_ms: number
  readonly index_ms: number
  readonly error: string | null
}

export type SyncOne = {
  readonly flags?: ConfigFlags | undefined
  readonly signal?: AbortSignal | undefined
  readonly now: () => Date
  readonly onEvent?: ((event: SyncEvent) => void) | undefined
}

// Limit for a fetch without any progress: large repositories take minutes, but report progress all the time.
const STALL_MS = 120_000

/** Runs index jobs one after the other, because each uses all processors and the whole memory limit. */
export class IndexJobQueue {
  #last: Promise<unknown> = Promise.resolve()

  take<T>(act: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(act)
    this.#last = turn.catch(() => {})
    return turn
  }
}

export class RepositorySync {
  readonly #repository: Repository
  readonly #config: Configured["config"]
  readonly #manifest: ManifestWriter
  readonly #indexing: IndexJobQueue
  readonly #options: SyncOne

  constructor(
    repository: Repository,
    config: Configured["config"],
    manifest: ManifestWriter,
    indexing: IndexJobQueue,
    options: SyncOne,
  ) {
    this.#repository = repository
    this.#config = config
    this.#manifest = manifest
    this.#indexing = indexing
    this.#options = options
  }

  async run(): Promise<SyncedRepository> {
    const { name, clone, address } = this.#repository
    const { signal, now } = this.#options
    const previous = this.#manifest.of(this.#repository)
    const started = performance.now()
    let fetchMs = 0
    try {
      this.#report("fetch")
      const pulled = await pull(address, clone, { signal, stallMs: STALL_MS, limits: this.#config.limits })
      fetchMs = Math.round(performance.now() - started)
      this.#note(pulled, previous)
      this.#report("index")
      const report = await this.#indexing.take(() => this.#index())
      this.#manifest.update(this.#repository, (state) => ({
        ...withoutError(state),
        last_indexed: pulled.commit,
        file_count: report.files,
      }))
      this.#report("done")
      const { changed, removed } = report
      const times = { fetch_ms: fetchMs, index_ms: Math.round(performance.now() - started) - fetchMs }
      const state = this.#manifest.of(this.#repository)
      return { ...reportOf(this.#repository, state, outcomeOf(pulled, previous)), changed, removed, ...times }
    } catch (error) {
      if (signal?.aborted) throw error
      if (!this.#manifest.isOurs) throw error
      const message = messageWithoutName(error, name)
      this.#manifest.update(this.#repository, (state) => ({
        ...state,
        last_attempt: now().toISOString(),
        error: message,
        error_at: now().toISOString(),
      }))
      this.#report("failed")
      return {
        ...reportOf(this.#repository, this.#manifest.of(this.#repository), "failed"),
        fetch_ms: fetchMs,
      }
    }
  }

  /**
   * Records the fetch before indexing starts, so that after a kill in between the next sync continues with
   * indexing.
   */
  #note(pulled: Pulled, previous: RepoState): void {
    const at = this.#options.now().toISOString()
    this.#manifest.update(this.#repository, (state) => ({
      ...state,
      cloned_at: previous.cloned_at ?? at,
      last_pull: at,
      last_attempt: at,
      last_commit: pulled.commit,
    }))
  }

  async #index() {
    using project = openClone(this.#repository, this.#options.flags)
    return indexProject(project!, { signal: this.#options.signal, inBackground: true })
  }

  #report(phase: SyncEvent["phase"]): void {
    this.#options.onEvent?.({ name: this.#repository.name, phase })
  }
}

function outcomeOf(pulled: Pulled, previous: RepoState): SyncedRepository["outcome"] {
  if (pulled.commit === null) return "empty"
  if (previous.cloned_at === null) return "cloned"
  return pulled.isChanged || previous.last_commit !== pulled.commit ? "updated" : "unchanged"
}

export function reportOf(
  { name }: Repository,
  { last_commit, file_count, error }: RepoState,
  outcome: SyncedRepository["outcome"],
): SyncedRepository {
  const counts = { files: file_count, changed: 0, removed: 0, fetch_ms: 0, index_ms: 0 }
  return { repository: name, outcome, commit: last_commit, ...counts, error: error ?? null }
}

function withoutError({ error: _, error_at: __, ...state }: RepoState): RepoState {
  return state
}

/** Message without the repository's name, which is shown next to it. */
function messageWithoutName(error: unknown, name: string): string {
  if (!(error instanceof AmanError)) return messageOf(error)
  const message = error.message.replace(`${name}: `, "")
  return error.hint === undefined ? message : `${message} (${error.hint})`
}
