import { withNames } from "../../../search/query/with-names.ts"
import { loadTokenizer } from "../../../text/tokenizer.ts"
import type { SearchAnswer, SearchRequest, SearchResult } from "../../answers.ts"
import { assemble, bundleSummary } from "../../context/assemble.ts"
import { bundleTokens, fitBundle } from "../../context/bundle.ts"
import { placesIn, searchFor } from "../../context/context-project.ts"
import {
  CONTEXT_LIMITS,
  type ContextBundle,
  type ContextFile,
  type ContextRequest,
} from "../../context/request.ts"
import type { Project } from "../../project/open-project.ts"
import { TEAM_PREFIX } from "../../repositories/choose.ts"
import { checkoutAt, newInTeam, teamRepositoryHere } from "./checkout.ts"
import { teamClient } from "./client.ts"
import { withLocalFiles } from "./local-files.ts"

/**
 * Adapts the team's context to a checkout of one of its repositories: if files of it differ on this machine
 * (`withLocalFiles`), all files of that repository are shown as they are here, but for those that only the team has. `team`
 * is the name that the request was about, `search` searches the project.
 */
export async function withLocalContext(
  bundle: ContextBundle,
  team: string,
  project: Project,
  request: ContextRequest,
  search: (request: SearchRequest) => Promise<SearchAnswer>,
): Promise<ContextBundle> {
  const own = teamRepositoryHere(project)
  if (own === null || withNames(request.query, request.names).trim() === "") return bundle
  const wanted = searchFor(request)
  const answer = await teamClient().search(team, wanted)
  const merged = await withLocalFiles(answer, project, wanted, search)
  if (merged === answer) return bundle

  const count = await loadTokenizer()
  const ofOwn = [...bundle.files, ...merged.results].filter(({ repository }) => repository === own)
  const commit = answer.repositories?.find(({ repository }) => repository === own)?.commit ?? ""
  const checkout = await checkoutAt(project.root, own.slice(TEAM_PREFIX.length), commit)
  const onlyThere = await newInTeam(
    checkout,
    ofOwn.map(({ path }) => path),
  )
  const isOfTeam = ({ repository, path }: { readonly repository?: string; readonly path: string }) =>
    repository !== own || onlyThere.has(path)
  // The team's files were only the nearest ones by meaning, and this checkout has the words of the task.
  const isFoundHere = answer.nearest_only === true && merged.nearest_only !== true
  const others = isFoundHere ? [] : bundle.files.filter(isOfTeam)
  const results = merged.results
    .filter((result) => !isOfTeam(result))
    .map(({ repository: _, ...result }) => result)
  // This checkout's files get the tokens that the team's files leave.
  const left = request.maxTokens - bundleTokens({ ...bundle, files: others }, count)
  const maxTokens = Math.max(CONTEXT_LIMITS.tokens.min, left)
  const asked = { ...request, maxTokens, memories: false }
  const here = await assemble(
    { ...merged, results, notices: [], next_offset: null },
    placesIn(project),
    asked,
    null,
  )
  const local = here.files.map((file) => ({ repository: own, ...file }))

  const files = inRankOrder(others, local, merged.results).slice(0, request.maxFiles)
  const ofTeam = isFoundHere ? [] : bundle.hints
  const notices = merged.notices.filter((notice) => isFoundHere || !answer.notices.includes(notice))
  const hints = [...new Set([...notices, ...here.hints, ...ofTeam])]
  const summary = bundleSummary(files)
  // Files of this checkout are shown as they are here, not as of a commit.
  const commits = bundle.commits?.filter(({ repository }) =>
    others.some((file) => file.repository === repository),
  )
  const whole = {
    summary,
    files,
    ...(commits === undefined ? {} : { commits }),
    hints,
    tokens: request.maxTokens,
  }
  return fitBundle(whole, request.maxTokens, count)
}

/** Both lists in one, files with code first; each list keeps its order, and the rank of results decides between them. */
function inRankOrder(
  one: readonly ContextFile[],
  other: readonly ContextFile[],
  results: readonly SearchResult[],
): ContextFile[] {
  const rankOf = (file: ContextFile | undefined) => {
    const rank = results.findIndex(
      ({ repository, path }) => repository === file?.repository && path === file?.path,
    )
    return rank < 0 ? results.length : rank
  }
  const merge = (left: readonly ContextFile[], right: readonly ContextFile[]) => {
    const [a, b] = [[...left], [...right]]
    const merged: ContextFile[] = []
    while (a.length > 0 && b.length > 0) merged.push((rankOf(a[0]) <= rankOf(b[0]) ? a : b).shift()!)
    return [...merged, ...a, ...b]
  }
  const hasCode = ({ snippets }: ContextFile) => snippets.length > 0
  const isName = (file: ContextFile) => !hasCode(file)
  return [
    ...merge(one.filter(hasCode), other.filter(hasCode)),
    ...merge(one.filter(isName), other.filter(isName)),
  ]
}
