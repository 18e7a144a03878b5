import { unlessNoProject } from "../../app/project/root.ts"
import { teamName } from "../../app/repositories/choose.ts"
import type { ToolSession } from "./tool-box.ts"

/** Asks a question about a text or a symbol in three places. */
export type ElsewhereQuestion<T> = {
  /** Other repositories, the team's included. */
  readonly there: (served: ServedRepositories) => Promise<T>
  /** The team's repositories, from a project that may be a checkout of one of them. `team`: the name after "team:". */
  readonly fromProject: (project: SessionProject, team: string) => Promise<T>
  /** The project, if the team's server is unreachable. */
  readonly here: () => Promise<T>
}

/**
 * The answer of other repositories. If the team's server is unreachable, it is that of the project, and `onUnreachable` is
 * called.
 */
export async function askOthers<T extends { readonly notices: readonly string[] }>(
  session: ToolSession,
  repository: string,
  { there, fromProject, here }: ElsewhereQuestion<T>,
  onUnreachable: () => void = () => {},
): Promise<T> {
  const team = teamName(repository)
  if (team === null) return session.withRepositories(there)
  const { orThisProject, withNotice } = await import("../../app/team/client/without-server.ts")
  return orThisProject(
    async () => {
      const answer = await unlessNoProject(null, () =>
        session.withProject((project) => fromProject(project, team)),
      )
      return answer ?? session.withRepositories(there)
    },
    async (notice) => {
      onUnreachable()
      return withNotice(await here(), notice)
    },
  )
}

type ServedRepositories = Parameters<Parameters<ToolSession["withRepositories"]>[0]>[0]
type SessionProject = Parameters<Parameters<ToolSession["withProject"]>[0]>[0]
