import { FILE_FLAG } from "../base/file-flag.ts"
import { indexFolderSize } from "../indexing/index-folder.ts"
import { type IndexState, readState } from "../indexing/index-state.ts"
import { Lead } from "../indexing/lead.ts"
import type { Store } from "../store/store.ts"
import type { IndexProgress, StatusAnswer } from "./answers.ts"
import { contentsOf, embeddingOf, otherOf } from "./index-project.ts"
import { noticesOf } from "./notices.ts"
import type { Project } from "./open-project.ts"
import { pendingFiles } from "./pending.ts"
import { describeProject } from "./project-type.ts"

/** What the process knows that keeps the index up to date. */
export type Live = {
  readonly progress: IndexProgress | null
  readonly leads: boolean
  /** Paths heard of and not looked at yet; null: any. */
  readonly waiting: number | null
}

/** What the index holds and how it does. Never builds anything. `live`: where it is this process's to keep. */
export async function projectStatus(project: Project, live: Live | null = null): Promise<StatusAnswer> {
  const progress = live?.progress ?? null
  const leader = live?.leads ? "this process" : otherLeader(project)
  const reader = project.reader()
  const { config, root } = project
  const memory = {
    limit_bytes: config.performance.memoryLimitBytes,
    resident_bytes: process.memoryUsage().rss,
  }
  const embedding = { ...embeddingOf(), quantization: config.performance.quantization }
  if (reader === null) {
    return {
      root,
      project: { type: "unknown", source_folders: [] },
      state: progress === null ? "missing" : "indexing",
      files: 0,
      chunks: 0,
      languages: {},
      skipped: {},
      ranked_down: {},
      generation: 0,
      index_bytes: 0,
      embedding: { ...embedding, share: 0, other: null },
      memory,
      progress,
      leader,
      pending: null,
      last_indexed: null,
      notices: progress === null ? ["there is no index yet: run aman index, or just search"] : [],
    }
  }
  const { store } = reader
  const state = readState(store)
  const contents = contentsOf(store)
  const { projectTypes, sourceFolders } = describeProject(store.files.amounts())
  return {
    root,
    project: { type: projectTypes.join(", ") || "unknown", source_folders: sourceFolders },
    state: progress !== null ? "indexing" : state.state,
    ...contents,
    ranked_down: rankedDown(store),
    generation: store.meta.generation(),
    index_bytes: indexFolderSize(config.index.dir).bytes,
    embedding: { ...embedding, share: reader.vectorShare(), other: otherOf(reader) },
    memory,
    progress,
    leader,
    pending: pendingOf(project, store, live),
    last_indexed: state.indexedAt,
    notices: [...noticesOf(store), ...blindnessOf(state, leader)],
  }
}

function otherLeader({ config }: Project): StatusAnswer["leader"] {
  const isHeld = Lead.isHeld(config.index.dir)
  return isHeld === null ? "unknown" : isHeld ? "another process" : "nobody"
}

function pendingOf(project: Project, store: Store, live: Live | null): number | null {
  const { state, total } = readState(store)
  if (state !== "ready") return Math.max(0, total - store.files.totals().files)
  if (live === null) return pendingFiles(project, store)
  return live.leads ? live.waiting : null
}

function blindnessOf({ blindness }: IndexState, leader: StatusAnswer["leader"]): string[] {
  if (blindness === null || leader === "nobody") return []
  return [
    `changes are found by looking every few seconds, for folders cannot be watched: ${blindness}; ` +
      "raise that limit, or leave folders out with .amanignore",
  ]
}

const RANKED_DOWN = {
  generated: FILE_FLAG.generated,
  vendored: FILE_FLAG.vendored,
  "build output": FILE_FLAG.output,
} as const

/** A file that is several of these counts under each. */
function rankedDown(store: Store): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { flags, files } of store.files.flagCounts()) {
    for (const [name, flag] of Object.entries(RANKED_DOWN)) {
      if (flags & flag) counts[name] = (counts[name] ?? 0) + files
    }
  }
  return counts
}
