import { AmanError, type ConfiguredEmbedding, type HandDown, type IndexReport } from "../../base/index.ts"
import { damagedIndex } from "../../store/index.ts"
import { modelName } from "../embed/model.ts"
import { createStaticEmbedder } from "../embed/static.ts"
import { configuredSpace } from "../embedding/embed-configured.ts"
import { takeReindexRequests } from "../index-folder.ts"
import { indexNotices, leftOutCounts, whyEmpty } from "../open/notices.ts"
import type { Project } from "../open/open-project.ts"
import type { IndexReader } from "../open/reader.ts"
import type { WorkerPool } from "../pipeline/worker-pool.ts"
import { leadOrWait } from "./ensure-fresh.ts"
import type { Indexer, IndexerRun } from "./indexer.ts"
import { withIndexRepair } from "./with-index-repair.ts"

export type IndexOptions = {
  readonly signal?: AbortSignal | undefined
  /** Scans in another thread, so that this one stays responsive. */
  readonly inBackground?: boolean
  /** Rebuilds from scratch; INDEX_BUSY if another process is the leader. */
  readonly force?: boolean
  /** Threads to use instead of new ones; closed at the end. */
  readonly pool?: WorkerPool
  /**
   * Fills an empty index with the index that the team's server has of this project, so that only files that differ from
   * that one are read; returns what it did.
   */
  readonly handDown?:
    | ((project: Project, indexer: Indexer, signal?: AbortSignal) => Promise<HandDown>)
    | undefined
}

/** Updates the index, or waits for the leader to do so, and returns a report of its content. */
export function indexProject(project: Project, options: IndexOptions = {}): Promise<IndexReport> {
  const { signal } = options
  return withIndexRepair(project, { refresh: true, signal }, () => indexed(project, options))
}

async function indexed(project: Project, options: IndexOptions): Promise<IndexReport> {
  const started = performance.now()
  using indexer = await leadOrWait(project, options.signal, options.pool)
  if (options.force) forget(project, indexer)
  const isFilled = options.handDown !== undefined && indexer?.isNew && !options.force
  const handDown = isFilled ? await options.handDown!(project, indexer, options.signal) : null
  const run = await indexer?.run({
    signal: options.signal,
    inBackground: options.inBackground ?? false,
    isThorough: true,
  })
  if (indexer !== null) await embedConfigured(indexer, project.config, options.signal)
  const reader = project.reader()!
  const { store } = reader
  // If this process is the leader, its run has checked the index already.
  if (indexer === null && !store.isSound()) throw damagedIndex(store.path)
  const {
    embedding: { share: _, ...embedding },
    ...contents
  } = indexContents(reader)
  const leaderNotice = ["another aman process updates this index; it can be searched now"]
  return {
    root: project.root,
    ...contents,
    embedding,
    ...(handDown?.from ? { handed_down: handDown.from } : {}),
    changed: run?.changed ?? 0,
    removed: run?.removed ?? 0,
    duration_ms: Math.round(performance.now() - started),
    keyword_ready_ms: Math.round(run?.keywordReadyMs ?? 0),
    phases_ms: phasesOf(run),
    notices: [
      ...indexNotices(store),
      ...whyEmpty(project.root, store),
      ...(indexer === null ? leaderNotice : []),
      ...(handDown?.notice ? [handDown.notice] : []),
    ],
  }
}

function phasesOf(run: IndexerRun | undefined): Record<string, number> {
  if (run === undefined) return {}
  const times = Object.entries({ scan: run.scanMs, ...run.times })
  return Object.fromEntries(times.map(([phase, ms]) => [phase, Math.round(ms)]))
}

function forget(project: Project, indexer: Indexer | null): void {
  if (indexer === null) {
    throw new AmanError(
      "INDEX_BUSY",
      `another aman process is using the index in ${project.config.index.dir}`,
      {
        hint: "stop that process (aman serve or aman index), then try again",
      },
    )
  }
  project.close()
  indexer.rebuild()
}

/**
 * Computes the missing vectors of the configured embedder, and of the encoder if the user asked for them now. This may
 * take long, so edits for which another process sends a reindex request are indexed in between.
 */
async function embedConfigured(
  indexer: Indexer,
  { embeddings }: Project["config"],
  signal: AbortSignal | undefined,
): Promise<void> {
  const pause = async () => {
    const suspects = takeReindexRequests(indexer.folder)
    if (suspects !== null) await indexer.run({ signal, suspects })
  }
  await indexer.embedConfigured({ signal, pause })
  if (embeddings.encoder !== "idle") await indexer.encodeTexts({ signal, pause })
}

/** What an index holds: files and chunks, files per language, skipped files by reason, and vectors; null: no index. */
export function indexContents(reader: IndexReader | null) {
  const { provider, model, dimensions } = (reader?.embedder ?? createStaticEmbedder()).space
  const embedding = { provider, model, dimensions }
  if (reader === null)
    return {
      files: 0,
      chunks: 0,
      languages: {},
      skipped: {},
      embedding: { ...embedding, share: 0, other: null },
    }
  const { files } = reader.store
  const { files: fileCount, chunks } = files.totals()
  return {
    ...{ files: fileCount, chunks },
    languages: Object.fromEntries(files.languages().map((row) => [row.language, row.files])),
    skipped: leftOutCounts(reader.store),
    embedding: {
      ...embedding,
      share: reader.vectorShare(),
      other: configuredEmbeddingOf(reader),
      ...encodedShare(reader),
    },
  }
}

function encodedShare(reader: IndexReader): { readonly encoded?: number } {
  const encoded = reader.encodedShare()
  return encoded === null ? {} : { encoded }
}

/** The configured space, how complete it is, and whether queries use it; null if there is none. */
function configuredEmbeddingOf(reader: IndexReader): ConfiguredEmbedding | null {
  const space = configuredSpace(reader.store)
  if (space === null) return null
  const { chunks, allChunks } = reader.store.embedded.share(space.id)
  return {
    provider: space.provider,
    model: modelName(space),
    dimensions: space.dimensions,
    share: allChunks === 0 ? 1 : chunks / allChunks,
    serves: reader.hasConfiguredVectors,
  }
}
