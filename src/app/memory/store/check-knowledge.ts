import { existsSync } from "node:fs"
import { AmanError } from "../../../base/errors.ts"
import { userDataDir } from "../../../base/paths.ts"
import { loadConfig } from "../../../config/load.ts"
import { Knowledge } from "../../../memory/knowledge.ts"
import { findCredentialIn } from "../../../text/secrets/credentials.ts"
import type { CheckResult } from "../../doctor/doctor.ts"
import { embedderName } from "../embedding/configured-vectors.ts"
import { entryCount } from "../entries/entry-text.ts"
import { knowledgePath } from "./knowledge-place.ts"

const name = "knowledge"

/** Checks of `aman doctor`: whether the stored entries are readable and sound. */
export function checkKnowledge(): CheckResult[] {
  const path = knowledgePath()
  if (!existsSync(path)) return [{ name, state: "ok", message: "nothing is remembered yet", next: null }]
  try {
    using knowledge = new Knowledge({ path, now: Date.now, readonly: true })
    const damages = knowledge.damages()
    if (damages.length > 0) {
      const next = "to rebuild it from what can be read, keeping the old file: aman memory recover"
      return [{ name, state: "error", message: `${path} is damaged: ${damages[0]}`, next }]
    }
    const { total } = knowledge.list({}, { limit: 0 })
    const summary: CheckResult = { name, state: "ok", message: `${entryCount(total)} in ${path}`, next: null }
    return [summary, ...checkCredentials(knowledge), ...checkVectors(knowledge, total)]
  } catch (error) {
    if (!(error instanceof AmanError)) throw error
    return [{ name, state: "error", message: error.message, next: error.hint ?? null }]
  }
}

const MAX_NAMED = 20

/**
 * Warns about entries with a current, previous or deleted revision that would be refused today: stored by an
 * earlier aman, or with --force. The warning never contains their text.
 */
function checkCredentials(knowledge: Knowledge): CheckResult[] {
  const problems = new Set<string>()
  for (const { subject, change } of knowledge.events()) {
    const isOfEntry = change.type === "stored" || change.type === "revised" || change.type === "appended"
    if (isOfEntry && !problems.has(subject) && findCredentialIn(change) !== null) problems.add(subject)
  }
  if (problems.size === 0) return []
  const ids = [...problems].slice(0, MAX_NAMED).join(" ")
  const more =
    problems.size > MAX_NAMED ? ` (and ${problems.size - MAX_NAMED} more, listed after these are purged)` : ""
  const message = `${entryCount(problems.size)} ${problems.size === 1 ? "looks" : "look"} like a credential`
  const next = `read them with aman memory history ID; erase them with aman memory purge ${ids}${more}`
  return [{ name, state: "warning", message, next }]
}

/** A check of the number of entries that have vectors; empty unless recall uses the configured embedder. */
function checkVectors(knowledge: Knowledge, total: number): CheckResult[] {
  if (loadConfig(userDataDir()).knowledge.embedder === "static") return []
  const space = knowledge.vectors.space()
  const done = knowledge.vectors.count()
  const whose = space === null ? "the configured embedder" : embedderName(space)
  const message = `${done} of ${total} entries have vectors of ${whose}`
  if (done >= total) return [{ name, state: "ok", message, next: null }]
  return [{ name, state: "warning", message, next: "run: aman memory embed" }]
}
