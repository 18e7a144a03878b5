import { AmanError } from "../base/errors.ts"
import { createStaticEmbedder } from "../embed/static.ts"
import { readState } from "../indexing/index-state.ts"
import type { Store } from "../store/store.ts"
import type { IndexReport } from "./answers.ts"
import { Indexer } from "./indexer.ts"
import { noticesOf } from "./notices.ts"
import type { Project } from "./open-project.ts"

/** Brings the index up to date and reports what it holds. INDEX_BUSY where another process is doing so. */
export async function indexProject(
  project: Project,
  options: { signal?: AbortSignal } = {},
): Promise<IndexReport> {
  using indexer = Indexer.take(project)
  if (indexer === null) {
    throw new AmanError("INDEX_BUSY", `another aman keeps the index of ${project.root} up to date`, {
      hint: "it is searchable as it is; run: aman status",
    })
  }
  const run = await indexer.run({ signal: options.signal })
  const { store } = project.reader()!
  return {
    root: project.root,
    ...contentsOf(store),
    embedding: embeddingOf(),
    changed: run.changed,
    removed: run.removed,
    duration_ms: Math.round(run.durationMs),
    keyword_ready_ms: Math.round(run.keywordReadyMs),
    notices: noticesOf(store),
  }
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
