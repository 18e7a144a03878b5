import { join } from "node:path"
import { entriesIn, type SearchAnswer, type StatusAnswer } from "../../base/index.ts"
import { isLimitNote } from "../../parse/index.ts"
import type { Store } from "../../store/index.ts"
import { addIgnoreText, ignoreVerdict, readSmallFile } from "../../tree/index.ts"
import { embedderFailure } from "../embedding/embed-configured.ts"
import { type IndexState, readState } from "../index-state.ts"

/** Notices about current degradations of the index, each with a remedy. */
export function indexNotices(store: Store): string[] {
  const notices = store.files.degradations().map(degradationNote)
  notices.push(...divisionNotices(store))
  const failure = embedderFailure(store)
  if (failure !== null) {
    const remedy = failure.hint === null ? "" : ` (${failure.hint})`
    notices.push(failure.message + remedy)
  }
  const { skipped, total } = readState(store)
  const beyond = skipped["over the limit"] ?? 0
  if (beyond > 0) {
    notices.push(
      `only ${total} files are indexed; ${beyond} more files or folders are over the limit: ` +
        "raise index.max_files, or exclude folders in .amanignore",
    )
  }
  const unjudged = skipped["too many patterns"] ?? 0
  if (unjudged > 0) {
    notices.push(
      `${unjudged} files or folders are not indexed, because matching ignore patterns took too long: ` +
        "shorten .gitignore, .amanignore, paths.include or paths.exclude",
    )
  }
  const unused = skipped["attribute file"] ?? 0
  if (unused > 0) {
    const which = unused === 1 ? "a .gitattributes file is" : `${unused} .gitattributes files are`
    notices.push(
      `${which} not used, because of more than 2000 glob patterns or 8 MiB, so that generated and vendored ` +
        "files may rank like the project's own: replace globs by names, folders or *.extension",
    )
  }
  const beyondBudget = store.skipped.ofReason("document budget").length
  if (beyondBudget > 0) {
    const which = beyondBudget === 1 ? "1 document is" : `${beyondBudget} documents are`
    notices.push(
      `${which} not indexed, because reading the others took all of index.document_seconds: ` +
        "raise it and run aman index --force, or exclude folders in .amanignore",
    )
  }
  return [...notices, ...historyNotices(store)]
}

function historyNotices(store: Store): string[] {
  const failure = store.history.get()?.failure ?? null
  return failure === null ? [] : [`the history is not read, and tasks are ranked without it: ${failure}`]
}

function degradationNote({
  reason,
  method,
  files,
}: ReturnType<Store["files"]["degradations"]>[number]): string {
  const which = files === 1 ? "1 file" : `${files} files`
  if (isLimitNote(reason)) return `in ${which}, ${reason}`
  // These files were parsed with their syntax tree, except for parts with syntax errors.
  const how = method === "tree-sitter" ? "partly by lines" : `by ${method}`
  return `${which} ${files === 1 ? "was" : "were"} split ${how}: ${reason}`
}

/** One notice for each reason for which the user's chunker program failed. */
function divisionNotices(store: Store): string[] {
  return store.divided.counts().flatMap(({ failure, files }) => {
    if (failure === null) return []
    const which = files === 1 ? "1 file has" : `${files} files have`
    return [`${which} the chunks of aman's own chunker: ${failure}; aman index asks the program again`]
  })
}

/** Number of files for each chunker program that has divided files, or failed to; undefined if there are none. */
export function chunkersOf(store: Store): StatusAnswer["chunkers"] {
  const counts: Record<string, { files: number; failed: number }> = {}
  for (const { program, failure, files } of store.divided.counts()) {
    counts[program] ??= { files: 0, failed: 0 }
    counts[program][failure === null ? "files" : "failed"] += files
  }
  return Object.keys(counts).length === 0 ? undefined : counts
}

/** Number of files and folders left out of the index, by reason: found while scanning or while reading. */
export function leftOutCounts(store: Store): Record<string, number> {
  const counts = { ...readState(store).skipped }
  for (const [reason, count] of Object.entries(store.skipped.reasons())) {
    counts[reason] = (counts[reason] ?? 0) + count
  }
  return counts
}

/** Share of the project that an unfinished index holds; null when it is complete. */
export function partialIndex(store: Store): SearchAnswer["partial"] {
  const state = readState(store)
  if (state.state === "missing") return { done: 0, total: 0, share: 0 }
  if (state.state !== "indexing" || state.total === 0) return null
  const done = Math.min(state.total, filesWithWords(store, state))
  return done >= state.total ? null : { done, total: state.total, share: done / state.total }
}

/** Paths of the files that a search of an unfinished index covered when it had `count` of them. */
export function searchablePaths(store: Store, count: number): Set<string> {
  const { shape, shapedFrom } = readState(store)
  const isWhole = store.derived.of("keyword").length > 0
  const isCovered = (id: number) => isWhole || (shape !== "" && id >= shapedFrom)
  const covered = store.files.known().filter(([, id]) => isCovered(id))
  covered.sort(([, one], [, other]) => one - other)
  return new Set(covered.slice(0, count).map(([path]) => path))
}

/**
 * Number of files in the keyword index. While its segments are being rebuilt, only the files that this run has
 * already chunked count.
 */
function filesWithWords(store: Store, { shape, shapedFrom }: IndexState): number {
  if (store.derived.of("keyword").length > 0) return store.files.totals().files
  return shape === "" ? 0 : store.files.countFrom(shapedFrom)
}

/** Why a completed index has no files, and what to do; empty when it has files or is still being built. */
export function whyEmpty(root: string, store: Store): string[] {
  if (readState(store).state !== "ready" || store.files.totals().files > 0) return []
  const { ignored = 0, excluded = 0, ...others } = leftOutCounts(store)
  const causes = Object.entries(others).map(([reason, count]) => `${count} ${reason}`)
  if (excluded > 0)
    causes.unshift(`${excluded} excluded by .amanignore or by paths.include and paths.exclude`)
  if (ignored > 0)
    causes.unshift(`${ignored} ignored by ${ignoringFiles(root).join(" and ") || "git's rules"}`)
  if (causes.length === 0) return [`nothing is indexed: there are no files in ${root}`]
  const remedies = [
    ...(ignored > 0 ? ["; to index files that git ignores, re-include them in .amanignore: !/src"] : []),
    ...((others["too large"] ?? 0) > 0 ? ["; index.max_file_size limits the size of a file"] : []),
  ]
  return [`nothing is indexed: all files and folders are excluded: ${causes.join(", ")}${remedies.join("")}`]
}

/** The ignore files that exclude an entry of the root; one in a parent folder may do so as well. */
function ignoringFiles(root: string): string[] {
  const entries = entriesIn(root)
  return [".gitignore", ".git/info/exclude"].filter((file) => {
    const rules = addIgnoreText(null, readSmallFile(join(root, file), [root]), "", false)
    return entries.some((entry) => ignoreVerdict(rules, entry.name, entry.name, entry.isDirectory()))
  })
}
