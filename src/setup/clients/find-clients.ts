import { existsSync } from "node:fs"
import { CLIENTS, type Client } from "./clients.ts"
import { expand, type Places } from "./places.ts"
import { findOnPath } from "./program.ts"

export type FoundClient = {
  readonly client: Client
  /** File, folder or program that shows it is installed; null if there is none. */
  readonly sign: string | null
}

/** All clients that setup knows, with the sign that each is installed. */
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
