import { type IndexState, readState } from "../indexing/index-state.ts"
import { otherFailure } from "../indexing/other-space.ts"
import type { Store } from "../store/store.ts"
import type { SearchAnswer } from "./answers.ts"

/** Degradations in force, each with what to do about it. */
export function noticesOf(store: Store): string[] {
  const notices: string[] = []
  const degraded = store.files.degradations()
  for (const { reason, method, files } of degraded) {
    // Its tree was kept, and only what it could not say was cut otherwise.
    const how = method === "tree-sitter" ? "in part by lines" : `by ${method}`
    notices.push(`${files} ${files === 1 ? "file was" : "files were"} cut ${how}: ${reason}`)
  }
  const failure = otherFailure(store)
  if (failure !== null) {
    const remedy = failure.hint === null ? "" : ` (${failure.hint})`
    notices.push(failure.message + remedy)
  }
  const { skipped, total } = readState(store)
  const beyond = skipped["over the limit"] ?? 0
  if (beyond > 0) {
    notices.push(
      `only ${total} files are indexed, ${beyond} more files or folders are over the limit: ` +
        "raise index.max_files, or leave folders out with .amanignore",
    )
  }
  return notices
}

/** What of the project is not in its index, by reason: as its folders tell, or as its text did. */
export function leftOut(store: Store): Record<string, number> {
  const counts = { ...readState(store).skipped }
  for (const [reason, count] of Object.entries(store.skipped.reasons())) {
    counts[reason] = (counts[reason] ?? 0) + count
  }
  return counts
}

/** How much of the project an index holds that is still being built; null for a whole one. */
export function partialOf(store: Store): SearchAnswer["partial"] {
  const state = readState(store)
  if (state.state === "missing") return { done: 0, total: 0, share: 0 }
  if (state.state !== "indexing" || state.total === 0) return null
  const done = Math.min(state.total, filesWithWords(store, state))
  return done >= state.total ? null : { done, total: state.total, share: done / state.total }
}

/** After damage those that were cut again: what the others say went with the file. */
function filesWithWords(store: Store, { shape, shapedFrom }: IndexState): number {
  if (store.derived.of("keyword").length > 0) return store.files.totals().files
  return shape === "" ? 0 : store.files.countFrom(shapedFrom)
}
