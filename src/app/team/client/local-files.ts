import { displayText, readableText } from "../../../code/readable-text.ts"
import { filesNotCommitted } from "../../../git/recent-files.ts"
import { statAt } from "../../../index/changes/rescan.ts"
import { repositoryOf } from "../../../memory/projects/repository.ts"
import { lineRange } from "../../../text/files/decode-lines.ts"
import { readSource } from "../../../text/files/read-source.ts"
import type { SearchAnswer, SearchRequest, SearchResult } from "../../answers.ts"
import type { Project } from "../../project/open-project.ts"
import { TEAM_PREFIX } from "../../repositories/choose.ts"
import type { GrepAnswer } from "../../search/grep-answer.ts"
import { NEAREST_NOTICE } from "../../search/why-empty.ts"
import { teamNameOf } from "./client.ts"

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
  if (own === null || !answer.repositories?.some(({ repository }) => repository === own)) return answer
  const local = await search({ ...request, offset: 0 })
  const isNearest = answer.nearest_only === true
  const isNearestHere = local.nearest_only === true
  // Files without a word of the query do not compete with the team's files that have one.
  const found = isNearestHere && !isNearest ? [] : local.results
  const isOther = ({ path, start_line, end_line, text }: SearchResult) => {
    const source = readSource(root, path, config.index.maxFileBytes)
    if ("reason" in source) return true
    const lines = lineRange(readableText(path, source.text), start_line, end_line)
    return displayText(lines) !== text
  }
  const hits = answer.results.filter((result) => result.repository === own)
  const differing = new Set([...hits.filter(isOther).map(({ path }) => path), ...editedIn(root, found)])
  if (differing.size === 0) return answer
  const instead = (answer.offset === 0 ? found : []).filter(({ path }) => differing.has(path))
  // Only this checkout has the words of the query: the team's nearest files by meaning are left out.
  const isFoundHere = isNearest && !isNearestHere && instead.length > 0
  const others = isFoundHere ? [] : answer.results
  const kept = others.filter((result) => result.repository !== own || !differing.has(result.path))
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
 * The name, with "team:", that the team's repository of this project would have; null if the project is not the root of
 * a clone with a remote, or has no index.
 */
export function teamRepositoryHere(project: Project): string | null {
  return project.reader() === null ? null : repositoryNameHere(project)
}

/** The same for a project that may have no index. */
export function repositoryNameHere({ root }: Project): string | null {
  const repository = repositoryOf(root)
  const name = repository === null || repository.way !== "" ? null : teamNameOf(repository.workTree)
  return name === null ? null : `${TEAM_PREFIX}${name}`
}

/**
 * The team's answer to a text search or about a symbol, which shows files of the indexed commit also in a checkout; if
 * the project is a checkout of one of its repositories, a notice says so.
 */
export function withCheckoutNotice<T extends AnswerOfCommits>(answer: T, project: Project): T {
  const own = repositoryNameHere(project)
  const commit = answer.commits?.find(({ repository }) => repository === own)?.commit
  if (own === null || !commit) return answer
  const notice = `${own.slice(TEAM_PREFIX.length)} is shown as of commit ${commit.slice(0, 12)}, not as it is in this checkout`
  return { ...answer, notices: [...answer.notices, notice] }
}

export type AnswerOfCommits = Pick<GrepAnswer, "commits" | "notices">

function editedIn(root: string, results: readonly SearchResult[]): string[] {
  const seen = results.flatMap(({ path }) => {
    const found = statAt(`${root}/${path}`)
    return found === undefined ? [] : [{ path, size: found.size, mtimeMs: found.mtimeMs }]
  })
  return filesNotCommitted(root, seen).map(({ path }) => path)
}
