import { existsSync } from "node:fs"
import { AmanError, type CheckResult, loadConfig, userDataDir } from "../../../base/index.ts"
import { isSameSpace, sentenceEncoder } from "../../../index/index.ts"
import { findCredentialIn } from "../../../text/index.ts"
import { Knowledge } from "../../knowledge.ts"
import { type RecoveryReport, recover } from "../../log/recover.ts"
import type { KnowledgeAnswer } from "../actions/answer.ts"
import { embedderName, MAX_ENCODED, usesEncoder } from "../embedding/configured-vectors.ts"
import { entryCount } from "../entries/entry-output.ts"
import { knowledgePath } from "./memory-handle.ts"

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

/** A check of the number of entries that have vectors; empty if the settings choose the table of word vectors. */
function checkVectors(knowledge: Knowledge, total: number): CheckResult[] {
  const config = loadConfig(userDataDir())
  const isBuiltIn = config.knowledge.embedder === "static"
  if (isBuiltIn && config.embeddings.encoder === "off") return []
  if (isBuiltIn && !usesEncoder(config, total)) {
    const message = `recall uses the table of word vectors, because the sentence encoder takes up to ${MAX_ENCODED} entries`
    return [{ name, state: "ok", message, next: null }]
  }
  const stored = knowledge.vectors.space()
  const space = isBuiltIn ? sentenceEncoder.space : stored
  const done = isSameSpace(stored, space) ? knowledge.vectors.count() : 0
  const whose = space === null ? "the embedder" : embedderName(space)
  const message = `${done} of ${total} entries have vectors of ${whose}`
  if (done >= total) return [{ name, state: "ok", message, next: null }]
  return [{ name, state: "warning", message, next: "run: aman memory embed" }]
}

/**
 * Makes a new knowledge.db from the readable part of a damaged one. Works on the file itself, because `openMemory`
 * would fail.
 */
export function recoverKnowledge(): KnowledgeAnswer {
  const path = knowledgePath()
  if (!existsSync(path))
    throw new AmanError("NOT_FOUND", `${path} does not exist`, { hint: "nothing has been remembered yet" })
  const recovered = recover(path, Date.now)
  if (recovered === null)
    return { data: { recovered: null }, text: `${path} is not damaged: nothing was changed`, found: true }
  const hasLosses = recovered.losses.length + recovered.doubts.length > 0
  return { data: { recovered }, text: reportText(recovered), found: true, hasLosses }
}

function reportText({ entries, events, lost, mended, losses, doubts, kept }: RecoveryReport): string {
  const more =
    losses.length > MAX_NAMED ? [`… and ${losses.length - MAX_NAMED} more; --json lists them all`] : []
  const unread =
    lost > 0 ? `${lost} events could not be read, ${mended} items were restored from the tables` : ""
  const verdict =
    losses.length > 0 ? unread || "lost:" : doubts.length === 0 ? "nothing was lost" : "no loss was found"
  return [
    `${entries} entries from ${events} events; ${verdict}`,
    ...losses.slice(0, MAX_NAMED).map((loss) => `lost: ${loss}`),
    ...more,
    ...doubts,
    `the damaged file is kept: ${kept}`,
  ].join("\n")
}
