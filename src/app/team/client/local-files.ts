import { displayText, readableText } from "../../../code/readable-text.ts"
import { filesNotCommitted } from "../../../git/recent-files.ts"
import { statAt } from "../../../index/changes/rescan.ts"
import { lineRange } from "../../../text/files/decode-lines.ts"
import { readSource } from "../../../text/files/read-source.ts"
import type { SearchAnswer, SearchRequest, SearchResult } from "../../answers.ts"
import type { Project } from "../../project/open-project.ts"
import { TEAM_PREFIX } from "../../repositories/choose.ts"
import { NEAREST_NOTICE } from "../../search/why-empty.ts"
import type { SymbolAnswer } from "../../symbols/symbol-answer.ts"
import { checkoutAt, newInTeam, repositoryNameHere, teamRepositoryHere } from "./checkout.ts"

/**
 * Adapts the team's answer to a checkout of one of its repositories: for files that are edited, new, deleted or of
 * another commit on this machine, the results of this machine are used. Returns the answer unchanged if the project is
 * no such checkout or has no index. `search` searches the project.
 */
export async function withLocalFiles(
  answer: SearchAnswer,
  project: Project,
  request: SearchRequest,
  search: (request: SearchRequest) => Promise<SearchAnswer>,
): Promise<SearchAnswer> {
  const { root, config } = project
  const own = teamRepositoryHere(project)
  const published = answer.repositories?.find(({ repository }) => repository === own)
  if (own === null || published === undefined) return answer
  const local = await search({ ...request, offset: 0 })
  const isNearest = answer.nearest_only === true
  const isNearestHere = local.nearest_only === true
  // Files without a word of the query do not compete with the team's files that have one.
  const found = isNearestHere && !isNearest ? [] : local.results
  const isOther = ({ path, start_line, end_line, text }: SearchResult) => {
    const indexedText = project.reader()?.store.documentTexts.find
    const source = readSource(root, path, config.index.maxFileBytes, indexedText && { indexedText })
    if ("reason" in source) return true
    const lines = lineRange(readableText(path, source.text), start_line, end_line)
    return displayText(lines) !== text
  }
  const hits = answer.results.filter((result) => result.repository === own)
  const others = hits.filter(isOther).map(({ path }) => path)
  const checkout = await checkoutAt(root, own.slice(TEAM_PREFIX.length), published.commit ?? "")
  const onlyThere = await newInTeam(checkout, others)
  const differing = new Set([...others.filter((path) => !onlyThere.has(path)), ...editedIn(root, found)])
  if (differing.size === 0) return answer
  const instead = (answer.offset === 0 ? found : []).filter(({ path }) => differing.has(path))
  // Only this checkout has the words of the query: the team's nearest files by meaning are left out.
  const isFoundHere = isNearest && !isNearestHere && instead.length > 0
  const kept = (isFoundHere ? [] : answer.results).filter(
    (result) => result.repository !== own || !differing.has(result.path),
  )
  // Both answers give their best file the score 1. Of files with equal scores, one that was edited on this machine
  // comes first.
  const merged = [...instead.map((result) => ({ ...result, repository: own })), ...kept]
  const limit = request.limit ?? Math.max(answer.results.length, instead.length)
  const { nearest_only: _, ...rest } = answer
  return {
    ...(isFoundHere ? { ...rest, next_offset: null } : answer),
    results: merged.sort((a, b) => b.score - a.score).slice(0, limit),
    notices: [
      ...answer.notices.filter((notice) => !isFoundHere || notice !== NEAREST_NOTICE),
      `files of ${own.slice(TEAM_PREFIX.length)} that differ here are shown as they are here: ${differing.size}`,
    ],
  }
}

/**
 * The team's answer about a symbol in a checkout without an index, which shows files of the indexed commit; if it has places
 * of this checkout's repository, a notice says so.
 */
export function withCheckoutNotice(answer: SymbolAnswer, project: Project): SymbolAnswer {
  const own = repositoryNameHere(project)
  const commit = answer.commits?.find(({ repository }) => repository === own)?.commit
  if (own === null || !commit) return answer
  const notice = `${own.slice(TEAM_PREFIX.length)} is shown as of commit ${commit.slice(0, 12)}, not as it is in this checkout, which has no index`
  return { ...answer, notices: [...answer.notices, notice] }
}

function editedIn(root: string, results: readonly SearchResult[]): string[] {
  const seen = results.flatMap(({ path }) => {
    const found = statAt(`${root}/${path}`)
    return found === undefined ? [] : [{ path, size: found.size, mtimeMs: found.mtimeMs }]
  })
  return filesNotCommitted(root, seen).map(({ path }) => path)
}
