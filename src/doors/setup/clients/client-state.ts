import { existsSync } from "node:fs"
import { revert } from "../edit/edit-text.ts"
import { changesForFile, type EditProblem, type FileGroup, groupByFile, planWrite } from "../file-plan.ts"
import { clientChanges, type Scope } from "./client-changes.ts"
import { CLIENTS, type Client, type SetupPart } from "./clients.ts"
import { type ClientFolders, expand } from "./places.ts"
import { findOnPath, type ProgramEnvironment, programFor } from "./program.ts"

/** State of a part in a client's settings. `other`: the entry starts another aman; `broken`: the file is unreadable. */
export type PartState = "missing" | "other" | "there" | "broken"

export type ClientState = {
  readonly mcp: PartState
  /** State of the hooks; null if the client has no hooks. */
  readonly hooks: PartState | null
  /** Why the settings file cannot be read; null if it can. */
  readonly problem: (EditProblem & { readonly file: string }) | null
}

/** State of aman in a client's settings, for the user or a project; null if the client has none there. */
export function clientState(client: Client, scope: Scope, around: ProgramEnvironment): ClientState | null {
  const program = programFor(around, client.isWindowed && scope.project === null)
  const stateOf = (part: SetupPart) => {
    const [group] = groupByFile(clientChanges(client, program, scope, new Set([part])))
    return group === undefined ? null : partState(group)
  }
  const mcp = stateOf("mcp")
  if (mcp === null) return null
  const hooks = stateOf("hooks")
  return { mcp: mcp.state, hooks: hooks?.state ?? null, problem: mcp.problem ?? hooks?.problem ?? null }
}

function partState(group: FileGroup): { state: PartState; problem: ClientState["problem"] } {
  const { state, before, file, problem } = planWrite(group, {})
  if (problem !== null) return { state: "broken", problem: { ...problem, file } }
  if (state === "same") return { state: "there", problem: null }
  const isThere = before !== null && revert(before, changesForFile(group.plannedChanges), []) !== before
  return { state: isThere ? "other" : "missing", problem: null }
}

export type FoundClient = {
  readonly client: Client
  /** File, folder or program that shows that the client is installed; null if the client is not installed. */
  readonly sign: string | null
}

/** All clients that setup knows, each with the file, folder or program that shows that it is installed. */
export function findClients(
  places: ClientFolders,
  env: Readonly<Record<string, string | undefined>>,
): FoundClient[] {
  const { platform } = places
  return CLIENTS.map((client) => {
    const sign = client.signs.map((template) => expand(template, places)).find((path) => existsSync(path))
    const program = () => client.programs.map((name) => findOnPath(name, { env, platform })).find(Boolean)
    return { client, sign: sign ?? program() ?? null }
  })
}
