import type { Client } from "./clients.ts"
import { expand, type Places } from "./places.ts"
import { settingAt } from "./setting-at.ts"

/** The setting with which a person switched all hooks of a client off; null where none is. */
export function switchedOff({ user }: Client, places: Places): string | null {
  for (const { file, path, off } of user.hooks?.switches ?? []) {
    if (settingAt(expand(file, places), path) === off) return `${path.join(".")} is ${off}`
  }
  return null
}
