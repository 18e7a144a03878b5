import { assemble } from "../context/assemble.ts"
import type { ContextBundle, ContextRequest } from "../context/request.ts"
import { searchFor } from "../context-project.ts"
import { graphOf } from "../graph-of.ts"
import { chooseRepositories } from "./choose.ts"
import type { Configured } from "./configured.ts"
import { type OpenClone, searchRepositories } from "./search.ts"

/** The same of other repositories, merged; nothing that is remembered belongs to them. */
export async function contextOfRepositories(
  configured: Configured,
  wanted: string,
  request: ContextRequest,
  open: OpenClone,
): Promise<ContextBundle> {
  const search = searchFor(request)
  const limit = Math.min(search.limit, configured.config.maxResults)
  const answer = await searchRepositories(configured, wanted, { ...search, limit }, open)
  const named = new Map(chooseRepositories(configured, wanted).map((each) => [each.name, each]))
  const places: Parameters<typeof assemble>[1] = ({ repository = "" }) => {
    const chosen = named.get(repository)
    const project = chosen === undefined ? null : open(chosen)
    const store = project?.reader()?.store
    return project && store ? { project, graph: graphOf(store) } : null
  }
  return assemble(answer, places, request, null)
}
