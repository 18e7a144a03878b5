import { existsSync } from "node:fs"
import { CLIENTS, type Client } from "./clients.ts"
import { expand, type Places } from "./places.ts"
import { findOnPath } from "./program.ts"

export type FoundClient = {
  readonly client: Client
  /** The file, folder or program that says it is installed; null where none does. */
  readonly sign: string | null
}

/** Every client that setup knows, with what says that it is on this machine. */
export function findClients(
  places: Places,
  env: Readonly<Record<string, string | undefined>>,
): FoundClient[] {
  const { platform } = places
  return CLIENTS.map((client) => {
    const sign = client.signs.map((template) => expand(template, places)).find((path) => existsSync(path))
    const program = () => client.programs.map((name) => findOnPath(name, { env, platform })).find(Boolean)
    return { client, sign: sign ?? program() ?? null }
  })
}
