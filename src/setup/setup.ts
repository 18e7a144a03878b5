import { AmanError } from "../base/errors.ts"
import { nearest } from "../base/nearest.ts"
import { clientWishes, type Scope } from "./client-wishes.ts"
import { CLIENTS, type Part } from "./clients.ts"
import { type FilePlan, groupByFile } from "./file-plan.ts"
import { type FoundClient, findClients } from "./find-clients.ts"
import { planRemoval } from "./plan-removal.ts"
import { planWrite } from "./plan-write.ts"
import { programFor, type Surroundings } from "./program.ts"
import { readRecords } from "./record.ts"

export type SetupChoice = Scope &
  Surroundings & {
    /** Names of clients; none: all that are installed. */
    readonly clients: readonly string[]
    readonly parts: ReadonlySet<Part>
    readonly isRemoval: boolean
    /** Where setup keeps what it did. */
    readonly folder: string
  }

export type SetupPlan = {
  readonly clients: readonly FoundClient[]
  readonly files: readonly FilePlan[]
  readonly notices: readonly string[]
}

/** What setting up, or its removal, would write. Changes nothing. */
export function planSetup(choice: SetupChoice): SetupPlan {
  const { places, env, project, isRemoval } = choice
  const clients = chosen(findClients(places, env), choice)
  const placed = clients.flatMap(({ client }) => {
    // What is in a project is for others too, whose aman lies elsewhere.
    const program = programFor(choice, client.isWindowed && project === null)
    return clientWishes(client, program, choice, choice.parts)
  })
  const records = readRecords(choice.folder)
  const plan = isRemoval ? planRemoval : planWrite
  return {
    clients,
    files: groupByFile(placed).map((group) => plan(group, records ?? {})),
    notices: [...(records === null ? [lostRecord(choice)] : []), ...notices(clients, choice)],
  }
}

function chosen(found: readonly FoundClient[], { clients, isRemoval }: SetupChoice): FoundClient[] {
  const ids = CLIENTS.map(({ id }) => id)
  for (const name of clients) {
    if (ids.includes(name)) continue
    const meant = nearest(name, ids) ?? ids.find((id) => id.startsWith(name) || name.startsWith(id))
    throw new AmanError("USAGE", `no client is called ${JSON.stringify(name)}`, {
      hint: meant === undefined ? `one of ${ids.join(", ")}` : `did you mean ${meant}?`,
    })
  }
  if (clients.length > 0) return found.filter(({ client }) => clients.includes(client.id))
  // One that was uninstalled may have left its settings.
  return isRemoval ? [...found] : found.filter(({ sign }) => sign !== null)
}

function lostRecord({ folder }: SetupChoice): string {
  return `what setup did before cannot be read in ${folder}; only what is plainly aman's is taken out, and what is left empty stays`
}

function notices(clients: readonly FoundClient[], choice: SetupChoice): string[] {
  const { project, isRemoval, executable } = choice
  const without = project === null ? [] : clients.filter(({ client }) => client.project === null)
  const { isAbsolute } = programFor(choice, false)
  const found = [
    [project !== null && isAbsolute, SHARED],
    [isAbsolute && /[\\/]_npx[\\/]/.test(executable), CACHED],
  ] as const
  return [
    ...without.map(({ client }) => `${client.name} has no settings of a project; leave out --project for it`),
    ...(isRemoval ? [] : found.flatMap(([isSo, notice]) => (isSo ? [notice] : []))),
  ]
}

const SHARED =
  "aman is not on the PATH, so the project's files name its place on this machine; install it for all who share them"
const CACHED = "this aman lies in a cache that npx may empty; install it first: npm install --global aman"
