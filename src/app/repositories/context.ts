import { graphOf } from "../../symbols/symbol-graph.ts"
import { assemble } from "../context/assemble.ts"
import { searchFor } from "../context/context-project.ts"
import type { ContextBundle, ContextRequest } from "../context/request.ts"
import { chooseRepositories } from "./choose.ts"
import type { Configured } from "./configured.ts"
import { type OpenClone, searchRepositories } from "./search.ts"

/** Context bundle from other repositories, merged; it contains no memories. */
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
  const openPlace: Parameters<typeof assemble>[1] = ({ repository = "" }) => {
    const chosen = named.get(repository)
    const project = chosen === undefined ? null : open(chosen)
    const store = project?.reader()?.store
    return project && store ? { project, graph: graphOf(store) } : null
  }
  return assemble(answer, openPlace, request, null)
}
