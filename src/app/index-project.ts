import { AmanError } from "../base/errors.ts"
import { modelName } from "../embed/detect.ts"
import type { Embedder } from "../embed/port.ts"
import { otherSpace } from "../indexing/other-space.ts"
import { takeWanted } from "../indexing/wanted.ts"
import type { IndexReader } from "../search/reader.ts"
import type { Store } from "../store/store.ts"
import type { IndexReport, OtherEmbedding } from "./answers.ts"
import type { Indexer } from "./indexer.ts"
import { leadOrWait } from "./lead-or-wait.ts"
import { leftOut, noticesOf } from "./notices.ts"
import type { Project } from "./open-project.ts"
import { whyEmpty } from "./why-empty.ts"

export type IndexOptions = {
  readonly signal?: AbortSignal | undefined
  /** Leaves this thread free to answer. */
  readonly inBackground?: boolean
  /** Forgets what is indexed first; INDEX_BUSY where another process has the index in hand. */
  readonly force?: boolean
}

/** Brings the index up to date, or lets the process that does so finish, and reports what the index holds. */
export async function indexProject(project: Project, options: IndexOptions = {}): Promise<IndexReport> {
  const started = performance.now()
  using indexer = await leadOrWait(project, options.signal)
  if (options.force) forget(project, indexer)
  const run = await indexer?.run({ signal: options.signal, inBackground: options.inBackground ?? false })
  if (indexer !== null) await embedOther(project, indexer, options.signal)
  const reader = project.reader()!
  const { store } = reader
  const elsewhere = ["another aman keeps this index up to date; it is searchable as it is"]
  return {
    root: project.root,
    ...contentsOf(store),
    embedding: { ...embeddingOf(reader.embedder), other: otherOf(reader) },
    changed: run?.changed ?? 0,
    removed: run?.removed ?? 0,
    duration_ms: Math.round(performance.now() - started),
    keyword_ready_ms: Math.round(run?.keywordReadyMs ?? 0),
    notices: [...noticesOf(store), ...whyEmpty(project.root, store), ...(indexer === null ? elsewhere : [])],
  }
}

function forget(project: Project, indexer: Indexer | null): void {
  if (indexer === null) {
    throw new AmanError("INDEX_BUSY", `another aman keeps the index in ${project.config.index.dir}`, {
      hint: "end it (aman serve, or aman index) and try again",
    })
  }
  project.close()
  indexer.rebuild()
}

/** Which may take long: edits that another process finds meanwhile are indexed in between. */
async function embedOther(
  project: Project,
  indexer: Indexer,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { dir } = project.config.index
  const pause = async () => {
    const suspects = takeWanted(dir)
    if (suspects !== null) await indexer.run({ signal, suspects })
  }
  await indexer.embedOther({ signal, pause })
}

/** Files, chunks, languages, and what was left out by reason. */
export function contentsOf(store: Store): Pick<IndexReport, "files" | "chunks" | "languages" | "skipped"> {
  const { files, chunks } = store.files.totals()
  const languages = Object.fromEntries(store.files.languages().map((row) => [row.language, row.files]))
  return { files, chunks, languages, skipped: leftOut(store) }
}

export function embeddingOf({ space }: Embedder): Omit<IndexReport["embedding"], "other"> {
  const { provider, model, dimensions } = space
  return { provider, model, dimensions }
}

/** The space beside the built-in one, how much of it there is, and whether it answers. */
export function otherOf(reader: IndexReader): OtherEmbedding | null {
  const space = otherSpace(reader.store)
  if (space === null) return null
  const { chunks, allChunks } = reader.store.embedded.share(space.id)
  return {
    provider: space.provider,
    model: modelName(space),
    dimensions: space.dimensions,
    share: allChunks === 0 ? 1 : chunks / allChunks,
    serves: reader.isOtherServing,
  }
}
