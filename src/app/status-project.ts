import { FILE_FLAG } from "../base/file-flag.ts"
import { indexFolderSize } from "../indexing/index-folder.ts"
import { readState } from "../indexing/index-state.ts"
import type { Store } from "../store/store.ts"
import type { IndexProgress, StatusAnswer } from "./answers.ts"
import { contentsOf, embeddingOf, otherOf } from "./index-project.ts"
import { noticesOf } from "./notices.ts"
import type { Project } from "./open-project.ts"
import { describeProject } from "./project-type.ts"

/** What the index holds and how it does. Never builds anything. */
export async function projectStatus(
  project: Project,
  progress: IndexProgress | null = null,
): Promise<StatusAnswer> {
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
    last_indexed: state.indexedAt,
    notices: noticesOf(store),
  }
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
