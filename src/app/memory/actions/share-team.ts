import { AmanError } from "../../../base/errors.ts"
import { repositoryOf } from "../../../memory/projects/repository.ts"
import { teamNameOf } from "../../team/client/client.ts"
import {
  hasTeamMemory,
  openOutbox,
  refusals,
  SHARE_TIMEOUT_MS,
  shareEntries,
  syncTeamMemory,
  type TeamSync,
} from "../../team/client/memory-copy.ts"
import { resolveOwnEntryName } from "../entries/entry-names.ts"
import type { Memory } from "../memory.ts"
import type { KnowledgeAnswer } from "./answer.ts"

const USUAL_VISIBILITY = "readers"

/** Shares entries, or with "on" all of this project, through the team's server, and sends them. */
export async function shareWithTeam(
  memory: Memory,
  { how, team = USUAL_VISIBILITY }: { readonly how: readonly string[]; readonly team?: string | undefined },
): Promise<KnowledgeAnswer> {
  const [first] = how
  if (first === undefined || first === "off") {
    throw new AmanError("USAGE", "--team says with whom entries are shared", {
      hint: "for example: aman memory share ID --team readers, or aman memory share on --team readers",
    })
  }
  const repository = teamRepository(memory)
  if (first === "on") {
    const project = await memory.ownProject()
    if (project === null) throw new AmanError("NO_ROOT", "this folder is not in a project")
    using outbox = openOutbox()
    outbox.shareProject(project, team, repository)
  } else {
    const ids = how.map((name) => resolveOwnEntryName(memory, name))
    markForTeam(memory, ids, team)
  }
  const { data, text } = await syncWithTeam()
  return { data: { visible_to: team, repository, team: data }, text, found: true }
}

/** Shares these entries from the next synchronisation on. Throws USAGE, and TEAM without a login. */
export function markForTeam(memory: Memory, ids: readonly string[], visibleTo: string): void {
  const entries = memory.knowledge.get(ids)
  const elsewhere = entries.find(({ project }) => project !== null && project !== memory.project())
  if (elsewhere !== undefined)
    throw new AmanError("USAGE", `${elsewhere.id} belongs to another project`, {
      hint: "share it from a folder of that project",
    })
  const repository = teamRepository(memory)
  const byRepository = Map.groupBy(entries, ({ project }) => (project === null ? null : repository))
  for (const [repository, some] of byRepository)
    shareEntries(
      memory.knowledge,
      some.map(({ id }) => id),
      { visibleTo, repository },
    )
}

/** Stops sharing entries of this project; those that are shared already stay shared. */
export function unshareWithTeam(memory: Memory): void {
  const project = memory.project()
  if (project === null || !hasTeamMemory()) return
  using outbox = openOutbox()
  outbox.unshareProject(project)
}

/** Sends and receives. Without the server nothing is lost: entries that could not be sent are sent the next time. */
export async function syncWithTeam(): Promise<{ readonly data: object; readonly text: string }> {
  try {
    const report = await syncTeamMemory(SHARE_TIMEOUT_MS)
    return { data: teamSyncData(report), text: [sentText(report), ...refusals(report.refused)].join("\n") }
  } catch (error) {
    if (!(error instanceof AmanError && error.code === "TEAM")) throw error
    const text = `${error.message}; entries are sent with the next aman memory sync`
    return { data: { sent: 0, received: 0, refused: [], error: error.message }, text }
  }
}

function teamRepository({ root }: Memory): string | null {
  const repository = root === null ? null : repositoryOf(root)
  return repository === null ? null : teamNameOf(repository.workTree)
}

function teamSyncData({ sent, received, refused, isBusy }: TeamSync) {
  return { sent, received, refused, is_busy: isBusy }
}

function sentText({ sent, received, isBusy }: TeamSync): string {
  if (isBusy) return "another aman is exchanging memories with the team's server"
  return `entries sent to the team's server: ${sent}, events received: ${received}`
}
