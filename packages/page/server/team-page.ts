/*
 * The page of a team's node. It shows the repositories that one person may read, through the sources that the node gives for
 * that person, and nothing that needs an open project.
 */

import type { Source, UiOptions } from "../../../src/ask/index.ts"
import { AmanError } from "../../../src/base/index.ts"
import { ALL } from "../../../src/index/index.ts"
import { TOKEN_KINDS } from "../../../src/parse/index.ts"
import { CODE_READS } from "./reads.ts"
import type { CodePlaces } from "./search.ts"
import type { TeamRepository } from "./team-repository.ts"

export { HEADERS } from "./admission.ts"
export { pageFile } from "./page-files.ts"

/** What the page asks about one person. */
export type TeamPlaces = Pick<UiOptions, "commands"> & {
  readonly person: string
  /** The questions asked of the repositories that the person may read and a name selects. */
  readonly source: (name: string) => Source
  readonly repositories: () => Promise<readonly TeamRepository[]>
}

/** The answer to a request of the page; null if there is none for that path. */
export async function teamPageAnswer(
  places: TeamPlaces,
  path: string,
  query: URLSearchParams,
  signal: AbortSignal,
): Promise<object | null> {
  if (path === "/api/project") {
    const repositories = await places.repositories()
    const ready = repositories.filter(({ commit }) => commit !== null).map(({ repository }) => repository)
    return { person: places.person, token_kinds: TOKEN_KINDS, repositories: ready }
  }
  if (path === "/api/repositories") return { repositories: await places.repositories() }
  return (await CODE_READS[path]?.(codePlaces(places), query, signal)) ?? null
}

function codePlaces({ source, commands }: TeamPlaces): CodePlaces {
  const one = (name = ALL) => source(name.trim() || ALL)
  return {
    usual: ALL,
    source: one,
    searches: ([name, ...others]) => {
      if (others.length === 0) return one(name)
      throw new AmanError("USAGE", "the page of a node asks one name at a time", {
        hint: "leave it out for all",
      })
    },
    commands,
  }
}
