import { unlessNoProject } from "../../app/project/root.ts"
import { teamName } from "../../app/repositories/choose.ts"
import type { AnswerOfCommits } from "../../app/team/client/local-files.ts"
import type { ToolSession } from "./tool-box.ts"

/**
 * The answer of other repositories to a text search or a question about a symbol. The team's has a notice in a checkout;
 * if its server is unreachable, it is that of `here`, the project, and `onUnreachable` is called.
 */
export async function askOthers<T extends AnswerOfCommits>(
  session: ToolSession,
  repository: string,
  ask: (served: ServedRepositories) => Promise<T>,
  here: () => Promise<T>,
  onUnreachable: () => void = () => {},
): Promise<T> {
  const asked = () => session.withRepositories(ask)
  if (teamName(repository) === null) return asked()
  const { orThisProject, withNotice } = await import("../../app/team/client/without-server.ts")
  return orThisProject(
    async () => {
      const answer = await asked()
      return unlessNoProject(answer, () =>
        session.withProject((project) => project.withCheckoutNotice(answer)),
      )
    },
    async (notice) => {
      onUnreachable()
      return withNotice(await here(), notice)
    },
  )
}

type ServedRepositories = Parameters<Parameters<ToolSession["withRepositories"]>[0]>[0]
