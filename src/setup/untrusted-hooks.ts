import { join } from "node:path"
import type { Scope } from "./client-wishes.ts"
import type { Client } from "./clients.ts"
import { DIALECTS } from "./hook-events.ts"
import { expand } from "./places.ts"
import { settingAt } from "./setting-at.ts"

/** Of how many events a client runs no hook of this file before the person has looked at it. */
export function untrustedHooks({ user, project: shared }: Client, { places, project }: Scope): number {
  const hooks = project === null ? user.hooks : shared?.hooks
  const trust = user.hooks?.trust
  if (hooks === undefined || trust === undefined) return 0
  const file = project === null ? expand(hooks.file, places) : join(project, ...hooks.file.split("/"))
  const state = settingAt(expand(trust.file, places), trust.path) ?? {}
  const trusted = Object.entries(state).filter(([, of]) => typeof of?.trusted_hash === "string")
  const isTrusted = (event: string) => trusted.some(([key]) => key.startsWith(`${file}:${snakeCase(event)}:`))
  return DIALECTS[hooks.dialect].events.filter(({ name }) => !isTrusted(name)).length
}

function snakeCase(name: string): string {
  return name.replace(/(?<=[a-z])[A-Z]/g, "_$&").toLowerCase()
}
