import { loadTokenizer } from "../../text/tokenizer.ts"
import type { SearchAnswer, SearchRequest } from "../answers.ts"
import { assemble, type LocateResult } from "../context/assemble.ts"
import { fitBundle } from "../context/bundle.ts"
import { searchFor } from "../context/context-project.ts"
import type { MemoryHints } from "../context/memories.ts"
import { CONTEXT_LIMITS, type ContextBundle, type ContextRequest } from "../context/request.ts"
import { withPassages } from "../search/passages.ts"
import { graphIn } from "../symbols/answer-lines.ts"
import { chooseRepositories } from "./choose.ts"
import { type Configured, commitsOf, type Repository } from "./configured.ts"
import { searchRepositories } from "./search.ts"
import { NO_OTHER_NODES, type OpenClone, type OtherNodes } from "./search-parts.ts"

/** Max share of the token budget that is reserved for the commits of the repositories. */
const MAX_COMMITS_SHARE = 0.15

/** Context bundle from other repositories, merged; with memories only if `memories` collects them. */
export async function contextOfRepositories(
  configured: Configured,
  wanted: string,
  request: ContextRequest,
  open: OpenClone,
  nodes: OtherNodes = NO_OTHER_NODES,
  memories: MemoryHints | null = null,
): Promise<ContextBundle> {
  const search = searchFor(request)
  const limit = Math.min(search.limit, configured.config.maxResults)
  const answer = await searchRepositories(configured, wanted, { ...search, limit }, open, nodes)
  await nodes.prepare(repositoriesIn(answer, configured))
  const count = await loadTokenizer()
  const named = answer.results.slice(0, request.maxFiles ?? CONTEXT_LIMITS.files.usual)
  const reserved = count(JSON.stringify(commitsOf(configured, named)))
  const left = request.maxTokens - Math.min(reserved, Math.floor(request.maxTokens * MAX_COMMITS_SHARE))
  const places = resultLocator(configured, wanted, open)
  const bundle = await assemble(answer, places, { ...request, maxTokens: left }, memories)
  const commits = commitsOf(configured, bundle.files)
  return fitBundle({ ...bundle, commits }, request.maxTokens, count)
}

/** The repositories that contain results of an answer. */
export function repositoriesIn({ results }: SearchAnswer, { repositories }: Configured): Repository[] {
  const names = new Set(results.map(({ repository }) => repository))
  return repositories.filter(({ name }) => names.has(name))
}

/** Searches other repositories; the results have passages of about `tokens` together. */
export async function searchPassagesOfRepositories(
  configured: Configured,
  wanted: string,
  request: SearchRequest,
  { open, tokens }: { readonly open: OpenClone; readonly tokens: number },
): Promise<SearchAnswer> {
  const answer = await searchRepositories(configured, wanted, request, open)
  return withPassages(answer, resultLocator(configured, wanted, open), tokens)
}

/** Returns a function that finds the open clone of a result, so that its file can be read. */
export function resultLocator(configured: Configured, wanted: string, open: OpenClone): LocateResult {
  const named = new Map(chooseRepositories(configured, wanted).map((each) => [each.name, each]))
  return ({ repository = "" }) => {
    const chosen = named.get(repository)
    const project = chosen === undefined ? null : open(chosen)
    const store = project?.reader()?.store
    return project && store ? { project, graph: graphIn(project, store) } : null
  }
}
