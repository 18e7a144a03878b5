import { AmanError } from "../../../base/errors.ts"
import { canonicalId, isId } from "../../../memory/log/ids.ts"
import type { Memory } from "../memory.ts"

/**
 * Id of an entry given by id or key; this project's key comes first. An unknown name is returned unchanged.
 */
export function resolveEntryName(memory: Memory, name: string): string {
  if (isId(canonicalId(name))) return name
  return ownId(memory, name) ?? memory.knowledge.idOfKey(null, name) ?? name
}

/**
 * Like `resolveEntryName`, for actions that remove an entry: a key selects only an entry of this project.
 * Throws NOT_FOUND, with the id as a hint, when the key belongs only to an entry of all projects.
 */
export function resolveOwnEntryName(memory: Memory, name: string): string {
  if (isId(canonicalId(name))) return name
  const ownMatch = ownId(memory, name)
  const ofAll = memory.knowledge.idOfKey(null, name)
  if (ownMatch !== null || ofAll === null || memory.root === null) return ownMatch ?? ofAll ?? name
  throw new AmanError("NOT_FOUND", `no entry ${name} in this project`, {
    hint: `that key belongs to a global entry; to use it, write ${ofAll}`,
  })
}

function ownId(memory: Memory, key: string): string | null {
  const project = memory.project()
  return project === null ? null : memory.knowledge.idOfKey(project, key)
}
