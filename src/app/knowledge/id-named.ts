import { AmanError } from "../../base/errors.ts"
import { canonicalId, isId } from "../../knowledge/ids.ts"
import type { Memory } from "./memory.ts"

/** Of an entry named by its id or its key; this project's before one of all. What is neither comes back as it is. */
export function idNamed(memory: Memory, name: string): string {
  if (isId(canonicalId(name))) return name
  return ownId(memory, name) ?? memory.knowledge.idOfKey(null, name) ?? name
}

/** For what takes an entry away: by its key only one of this place. NOT_FOUND names that of all projects. */
export function ownIdNamed(memory: Memory, name: string): string {
  if (isId(canonicalId(name))) return name
  const own = ownId(memory, name)
  const ofAll = memory.knowledge.idOfKey(null, name)
  if (own !== null || ofAll === null || memory.root === null) return own ?? ofAll ?? name
  throw new AmanError("NOT_FOUND", `no entry ${name} in this project`, {
    hint: `that key belongs to an entry of all projects: if it is meant, name it as ${ofAll}`,
  })
}

function ownId(memory: Memory, key: string): string | null {
  const project = memory.project()
  return project === null ? null : memory.knowledge.idOfKey(project, key)
}
