import { AmanError } from "../../../base/errors.ts"
import { log } from "../../../base/log.ts"
import { Knowledge } from "../../../memory/knowledge.ts"
import { knowledgeError } from "../../../store/sqlite-error.ts"
import { knowledgePath } from "./knowledge-place.ts"

/**
 * Runs `act`, which opens and closes the store. When the store is damaged but its log is intact, the derived
 * tables are rebuilt, a warning is logged, and `act` runs again. Otherwise throws KNOWLEDGE_CORRUPT.
 */
export async function withRepair<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (cause) {
    const error = asDamage(cause)
    if (error === null) throw cause
    if (!repair()) throw error
    log.warn("the memory file was damaged and has been repaired from its log; nothing was lost", {
      found: error.message,
    })
    return await act()
  }
}

/** The KNOWLEDGE_CORRUPT error for a cause that means damage; null for any other cause. */
export function asDamage(cause: unknown): AmanError | null {
  const error = knowledgeError(cause, knowledgePath())
  return error instanceof AmanError && error.code === "KNOWLEDGE_CORRUPT" ? error : null
}

function repair(): boolean {
  try {
    using knowledge = new Knowledge({ path: knowledgePath(), now: Date.now })
    return knowledge.repair()
  } catch (error) {
    log.debug("the memory file was not repaired", { reason: String(error) })
    return false
  }
}
