import { AmanError } from "../../base/errors.ts"
import { toPosix } from "../../base/paths.ts"
import { askSearcher } from "../../embed/line-program.ts"
import type { SuggestedFile } from "../../search/options.ts"
import type { Store } from "../../store/index/store.ts"
import type { SearchRequest } from "../answers.ts"
import type { Project } from "../project/open-project.ts"
import { occasionalNotice } from "./rerank-results.ts"

export type Suggestions = {
  readonly suggested: readonly SuggestedFile[]
  readonly notices: readonly string[]
}

const NONE: Suggestions = { suggested: [], notices: [] }

/**
 * The indexed files that the user's search program finds for a request, best first; none without a program, and for a
 * search by words alone, for similar code, and for an estimate. If it fails, a notice says why, once in ten minutes.
 */
export async function suggestions(
  { root, config: { searcher } }: Project,
  store: Store,
  { query, mode, like, isEstimate }: SearchRequest,
): Promise<Suggestions> {
  if (searcher.program === "" || mode === "keyword" || like || isEstimate) return NONE
  try {
    const places = await askSearcher(searcher, root, query)
    const files = new Map<string, SuggestedFile>()
    for (const { path: given, line } of places) {
      const path = toPosix(given).replace(/^\.\//u, "")
      const id = files.has(path) ? undefined : store.files.byPath(path)?.id
      if (id === undefined) continue
      files.set(path, {
        id,
        path,
        ordinal: line === null ? null : (store.chunks.atLine(id, line)?.ordinal ?? null),
      })
    }
    return { suggested: [...files.values()], notices: [] }
  } catch (error) {
    if (!(error instanceof AmanError)) throw error
    return { suggested: [], notices: occasionalNotice(error) }
  }
}
