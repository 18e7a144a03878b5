import { join } from "node:path"
import { entriesIn } from "../../base/files/files.ts"
import { readSmallFile } from "../../git/config-file.ts"
import { addIgnoreText, ignoreVerdict } from "../../git/ignore/ignore-scope.ts"
import { readState } from "../../index/index-state.ts"
import type { RankedFiles } from "../../search/search.ts"
import type { Store } from "../../store/index/store.ts"
import type { SearchAnswer, SearchMode, SearchResult } from "../answers.ts"
import { leftOutCounts } from "../project/notices.ts"

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

/**
 * Answers to several queries, in which text that an earlier answer shows is replaced by a reference to it.
 */
export function withoutRepeats(answers: readonly SearchAnswer[]): SearchAnswer[] {
  const shown = new Map<string, string>()
  return answers.map((answer) => {
    const results = answer.results.map((result) => {
      const earlierQuery = shown.get(resultKey(result))
      if (earlierQuery === undefined) shown.set(resultKey(result), answer.query)
      return earlierQuery === undefined ? result : { ...result, text: "", shown_for: earlierQuery }
    })
    return { ...answer, results }
  })
}

function resultKey({ repository = "", path, start_line, end_line }: SearchResult): string {
  return `${repository}\0${path}\0${start_line}\0${end_line}`
}

/** Says how results were found when no word of the query occurs in the searched files. */
type NearestNotice = {
  readonly notices: readonly string[]
  /** True when the results are only the nearest ones by the built-in vectors, which always find some file. */
  readonly nearest_only?: true
}

/** The notice for these results; without content if a word of the query occurs, or for a semantic search. */
export function nearestIn(
  rankings: readonly (Pick<RankedFiles, "hasMatch" | "hasConfiguredChannel"> & {
    readonly files: { readonly length: number }
  })[],
  mode: SearchMode,
): NearestNotice {
  const isAny = rankings.some(({ files }) => files.length > 0)
  if (mode === "semantic" || !isAny || rankings.some(({ hasMatch }) => hasMatch)) return { notices: [] }
  if (rankings.some(({ hasConfiguredChannel }) => hasConfiguredChannel))
    return {
      notices: ["no word of the query occurs in the searched files; results are ranked by meaning only"],
    }
  return { notices: [NEAREST_NOTICE], nearest_only: true }
}

export const NEAREST_NOTICE =
  "no word of the query occurs in the searched files; these are the nearest by meaning and may be unrelated"
