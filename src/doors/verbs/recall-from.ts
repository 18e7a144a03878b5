import { loadWithoutServer } from "../../ask/index.ts"
import { loadTeamCopy, type RecallAnswer, type RecallRequest } from "../../memory/index.ts"

/** The answer from the team's memory, or from that of this project if no team is named or its server is missing. */
export async function recallFrom(
  team: string | undefined,
  request: RecallRequest,
  recallHere: () => Promise<RecallAnswer>,
): Promise<RecallAnswer> {
  if (team === undefined) return recallHere()
  const { recallTeam } = await loadTeamCopy()
  const { orThisProject, withNotice } = await loadWithoutServer()
  return orThisProject(
    () => recallTeam(team, request),
    async (notice) => withNotice(await recallHere(), notice),
  )
}
