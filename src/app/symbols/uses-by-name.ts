import { edgeOf } from "../../symbols/edge.ts"
import { storedName } from "../../symbols/references/stored-name.ts"
import type { Project } from "../project/open-project.ts"
import { AnswerLines, graphIn } from "./answer-lines.ts"
import type { ReferenceAnswer } from "./symbol-answer.ts"

/** Maximum number of files that are read for one name. */
const MAX_FILES = 200
/** The confidence of a use whose definition is in another repository: only the name is known. */
const BY_NAME = 0.3

export type UsesByName = { readonly total: number; readonly places: readonly ReferenceAnswer[] }

/**
 * Uses of a name in a project that does not define it, at most `limit` of them as places. For `Owner.name`, only uses
 * in files that also use the owner's name. Null if there is no index.
 */
export function usesByName(project: Project, name: string, limit: number): UsesByName | null {
  const store = project.reader()?.store
  if (!store) return null
  return store.consistently(() => {
    const graph = graphIn(project, store)
    const [last = "", owner] = name.split(/\.|::|#|->/).reverse()
    const used = storedName(last)
    const owners = owner ? new Set(graph.idsUsing(storedName(owner))) : null
    const ids = graph.idsUsing(used).filter((id) => owners?.has(id) ?? true)
    const files = graph.files(graph.inOrder(ids, []).slice(0, MAX_FILES))
    const uses = files.flatMap((file) => file.usesOf(used).map((use) => ({ use, file })))
    const lines = new AnswerLines(project)
    return {
      total: uses.length,
      places: uses
        .slice(0, limit)
        .map(({ use, file }) => lines.answer(edgeOf(use, file, { confidence: BY_NAME, target: null }), used)),
    }
  })
}
