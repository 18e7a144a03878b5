import { AmanError } from "../base/errors.ts"
import { createStaticEmbedder } from "../embed/static.ts"
import { readState } from "../indexing/index-state.ts"
import type { Store } from "../store/store.ts"
import type { IndexReport } from "./answers.ts"
import { askLeader } from "./ask-leader.ts"
import type { Indexer } from "./indexer.ts"
import { leadOrWait } from "./lead-or-wait.ts"
import { noticesOf } from "./notices.ts"
import type { Project } from "./open-project.ts"

export type IndexOptions = {
  readonly signal?: AbortSignal
  /** Forgets what is indexed first; INDEX_BUSY where another process has the index in hand. */
  readonly force?: boolean
}

/** Brings the index up to date, or lets the process that does so finish, and reports what the index holds. */
export async function indexProject(project: Project, options: IndexOptions = {}): Promise<IndexReport> {
  const started = performance.now()
  using indexer = await leadOrWait(project, options.signal)
  if (options.force) forget(project, indexer)
  const run = await indexer?.run({ signal: options.signal })
  if (indexer === null) await askLeader(project)
  const { store } = project.reader()!
  const elsewhere = ["another aman keeps this index up to date; it is searchable as it is"]
  return {
    root: project.root,
    ...contentsOf(store),
    embedding: embeddingOf(),
    changed: run?.changed ?? 0,
    removed: run?.removed ?? 0,
    duration_ms: Math.round(performance.now() - started),
    keyword_ready_ms: Math.round(run?.keywordReadyMs ?? 0),
    notices: [...noticesOf(store), ...(indexer === null ? elsewhere : [])],
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

/** Files, chunks, languages, and what was left out by reason. */
export function contentsOf(store: Store): Pick<IndexReport, "files" | "chunks" | "languages" | "skipped"> {
  const { files, chunks } = store.files.totals()
  const languages = Object.fromEntries(store.files.languages().map((row) => [row.language, row.files]))
  const skipped = { ...readState(store).skipped }
  for (const [reason, count] of Object.entries(store.skipped.reasons())) {
    skipped[reason] = (skipped[reason] ?? 0) + count
  }
  return { files, chunks, languages, skipped }
}

export function embeddingOf(): IndexReport["embedding"] {
  const { provider, model, dimensions } = createStaticEmbedder().space
  return { provider, model, dimensions }
}
