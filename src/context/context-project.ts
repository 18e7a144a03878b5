import { type AnswerOptions, type Project, withIndexRepair } from "../index/index.ts"
import { loadFirstAnswer, searchProject, withNames } from "../search/index.ts"
import { graphIn } from "../symbols/index.ts"
import { loadTokenizer } from "../text/index.ts"
import { assemble, type LocateResult } from "./assemble.ts"
import { bundleTokens, type ContextBundle, type ContextRequest, fitBundle } from "./bundle.ts"
import type { MemoryHints } from "./memories.ts"

export type ContextOptions = AnswerOptions & {
  /** Collects memories for the task; null if there is no memory store. */
  readonly memories: MemoryHints | null
  /** Further notices, such as an unfinished index. */
  readonly notices?: readonly string[]
}

/** Number of search results to consider: the best ones may be shown with code, the others may be named. */
export const CONTEXT_FILES = 24

/** The context an agent needs for a task within a token budget: code, related symbols and memories. */
export function contextOf(
  project: Project,
  request: ContextRequest,
  options: ContextOptions,
): Promise<ContextBundle> {
  return withIndexRepair(project, options, () => bundled(project, request, options))
}

async function bundled(
  project: Project,
  request: ContextRequest,
  options: ContextOptions,
): Promise<ContextBundle> {
  if (withNames(request.query, request.names).trim() === "") return overviewBundle(project, request, options)
  const asked = searchFor(request)
  const found = await searchProject(project, asked, options)
  const indexed = { ...found, notices: [...found.notices, ...(options.notices ?? [])] }
  if (found.partial === null) return assemble(indexed, placesIn(project), request, options.memories)
  const [{ withWordSearch }, { assembleUnfinished }] = await Promise.all([
    loadFirstAnswer(),
    import("./unindexed-files.ts"),
  ])
  const early = await withWordSearch(project, asked, indexed, options.signal)
  return assembleUnfinished({ indexed, early }, placesIn(project), request, options.memories)
}

/** Search request for a task. A task is prose, or a pasted message such as a stack trace. */
export function searchFor({ query, names, paths }: ContextRequest) {
  const all = { mode: "hybrid", content: "all", languages: [], kinds: [], explain: false } as const
  return { ...all, query, names, isPlain: true, paths, limit: CONTEXT_FILES, liftsPage: false }
}

/** Returns a function that gives the project and its symbol graph for a result. */
export function placesIn(project: Project): LocateResult {
  const store = project.reader()?.store
  return () => (store ? { project, graph: graphIn(project, store) } : null)
}

/** Answer for an empty task: an overview of the project. */
async function overviewBundle(
  project: Project,
  { maxTokens }: ContextRequest,
  { refresh, signal }: ContextOptions,
): Promise<ContextBundle> {
  const { mapProject } = await import("./map/map-project.ts")
  const { mapText } = await import("./map/map-text.ts")
  const count = await loadTokenizer()
  const map = await mapProject(project, { refresh, signal })
  const hints = map.notices.length === 0 ? ["give a task in plain words"] : map.notices
  const bundle = (summary: string) => ({ summary, files: [], hints, tokens: maxTokens })
  const tokens = maxTokens - bundleTokens(bundle(""), count)
  return fitBundle(bundle(mapText(map, { tokens, count })), maxTokens, count)
}
