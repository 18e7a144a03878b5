import { AmanError } from "../../../base/errors.ts"
import type { ReadAnswer } from "../../answers.ts"
import type { Project } from "../../project/open-project.ts"
import { type ReadRequest, readFile } from "../../project/read-file.ts"
import { ALL, TEAM_PREFIX } from "../../repositories/choose.ts"
import { repositoryNameHere, teamRepositoryHere } from "./checkout.ts"
import { teamClient } from "./client.ts"
import { valueOrError } from "./value-or-error.ts"
import { notAskedNotice, noticedError, TeamUnreachable } from "./without-server.ts"

/**
 * Reads a file of one of the team's repositories with `ask`. In a checkout of that repository, the file is shown as it
 * is on this machine, as `withLocalFiles` does for searches; if it differs from the team's, a notice says so. A file
 * that only one of both sides has is shown from that side. If the server is unreachable, the file of the checkout is
 * shown. `team`: the wanted name, without "team:".
 */
export async function readAsHere(
  project: Project,
  team: string,
  request: ReadRequest,
  ask: () => Promise<ReadAnswer>,
): Promise<ReadAnswer> {
  const answer = await valueOrError(ask())
  if (answer instanceof TeamUnreachable) return readWithoutServer(project, team, request, answer)
  const own = teamRepositoryHere(project)
  const isOwn = own !== null && (await isAbout(answer, own, team))
  const local = isOwn ? await valueOrError(readFile(project, request)) : null
  if (answer instanceof AmanError) {
    if (local === null || local instanceof AmanError) throw answer
    return { repository: own!, ...local, notices: [`${HERE}; in ${INDEXED}: ${answer.message}`] }
  }
  if (local === null) return answer
  if (local instanceof AmanError) {
    return { ...answer, notices: [`the text is that of ${INDEXED}; in this checkout: ${local.message}`] }
  }
  if (local.text === answer.text) return answer
  return { repository: own!, ...local, notices: [`${HERE}; it differs in ${INDEXED}`] }
}

const HERE = "the text is that of this checkout"
const INDEXED = "the commit that the team has indexed"

/** The file of this checkout, with a notice; throws `error` if the project is no checkout of the wanted repository. */
async function readWithoutServer(
  project: Project,
  team: string,
  request: ReadRequest,
  error: TeamUnreachable,
): Promise<ReadAnswer> {
  const own = repositoryNameHere(project)
  if (own === null || !(team === ALL || own.toLowerCase().includes(team.toLowerCase()))) throw error
  const notice = notAskedNotice(error)
  const local = await readFile(project, request).catch((failure: unknown) => {
    throw noticedError(failure, notice)
  })
  return { repository: own, ...local, notices: [notice] }
}

/** True if the request was about the team's repository of this checkout and the user may read that repository. */
async function isAbout(answer: ReadAnswer | AmanError, own: string, team: string): Promise<boolean> {
  if (!(answer instanceof AmanError)) return answer.repository === own
  if (!["NOT_FOUND", "USAGE"].includes(answer.code) || `${TEAM_PREFIX}${team}` !== own) return false
  return (await teamClient().repositoriesNamed(team)).some(({ repository }) => repository === team)
}
