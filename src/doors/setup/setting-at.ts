import { join } from "node:path"
import { parse } from "@decimalturn/toml-patch"
import { getNodeValue } from "jsonc-parser"
import type { Scope } from "./clients/client-changes.ts"
import type { Client } from "./clients/clients.ts"
import { DIALECTS } from "./clients/hook-dialects.ts"
import { type ClientFolders, expand } from "./clients/places.ts"
import { jsonTree } from "./edit/json-edit.ts"
import { readTarget, realTarget } from "./target-file.ts"

/**
 * A value in a client's settings file. Undefined if it is absent, or if the file cannot be read, which another check
 * reports.
 */
export function settingAt(file: string, path: readonly string[]): unknown {
  try {
    const text = readTarget(realTarget(file, null)).text ?? ""
    const settings: unknown = file.endsWith(".toml") ? parse(text) : jsonValue(text)
    return path.reduce<unknown>(
      (inner, name) => (inner as Record<string, unknown> | undefined)?.[name],
      settings,
    )
  } catch {
    return undefined
  }
}

function jsonValue(text: string): unknown {
  const tree = jsonTree(text)
  return tree === undefined ? {} : getNodeValue(tree)
}

/** The setting that disables all hooks of a client; null if none does. */
export function hooksDisabledBy({ user }: Client, places: ClientFolders): string | null {
  for (const { file, path, off } of user.hooks?.switches ?? []) {
    if (settingAt(expand(file, places), path) === off) return `${path.join(".")} is ${off}`
  }
  return null
}

/** Number of events whose hooks in this file do not run until the user has approved them. */
export function untrustedHooks({ user, project: shared }: Client, { places, project }: Scope): number {
  const hooks = project === null ? user.hooks : shared?.hooks
  const trust = user.hooks?.trust
  if (hooks === undefined || trust === undefined) return 0
  const file = project === null ? expand(hooks.file, places) : join(project, ...hooks.file.split("/"))
  const state = settingAt(expand(trust.file, places), trust.path) ?? {}
  const trusted = Object.entries(state).filter(([, entry]) => typeof entry?.trusted_hash === "string")
  const isTrusted = (event: string) => trusted.some(([key]) => key.startsWith(`${file}:${snakeCase(event)}:`))
  return DIALECTS[hooks.dialect].events.filter(({ name }) => !isTrusted(name)).length
}

function snakeCase(name: string): string {
  return name.replace(/(?<=[a-z])[A-Z]/g, "_$&").toLowerCase()
}
