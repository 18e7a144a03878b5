import { existsSync } from "node:fs"
import { AmanError } from "../../base/errors.ts"
import { userDataDir } from "../../base/paths.ts"
import { loadConfig } from "../../config/load.ts"
import { Knowledge } from "../../knowledge/knowledge.ts"
import type { Check } from "../doctor.ts"
import { entryCount } from "./counted.ts"
import { knowledgePath } from "./knowledge-place.ts"
import { nameOf } from "./other-vectors.ts"

const name = "knowledge"

/** Whether what was remembered is there and sound. */
export function checkKnowledge(): Check[] {
  const path = knowledgePath()
  if (!existsSync(path)) return [{ name, state: "ok", message: "nothing is remembered yet", next: null }]
  try {
    using knowledge = new Knowledge({ path, now: Date.now, readonly: true })
    if (!knowledge.isSound()) {
      const next = "to make a new file of what can be read, and keep this one: aman memory recover"
      return [{ name, state: "error", message: `${path} is damaged`, next }]
    }
    const { total } = knowledge.list({}, { limit: 0 })
    const there: Check = { name, state: "ok", message: `${entryCount(total)} in ${path}`, next: null }
    return [there, ...checkVectors(knowledge, total)]
  } catch (error) {
    if (!(error instanceof AmanError)) throw error
    return [{ name, state: "error", message: error.message, next: error.hint ?? null }]
  }
}

/** Where recall is to rank by the user's own embedder. */
function checkVectors(knowledge: Knowledge, total: number): Check[] {
  if (loadConfig(userDataDir()).knowledge.embedder === "static") return []
  const space = knowledge.vectors.space()
  const done = knowledge.vectors.count()
  const whose = space === null ? "the configured embedder" : nameOf(space)
  const message = `${done} of ${total} have vectors of ${whose}`
  if (done >= total) return [{ name, state: "ok", message, next: null }]
  return [{ name, state: "warning", message, next: "run: aman memory embed" }]
}
