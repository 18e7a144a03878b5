import { existsSync } from "node:fs"
import { AmanError } from "../../../base/errors.ts"
import { type RecoveryReport, recover } from "../../../memory/log/recover.ts"
import type { KnowledgeAnswer } from "../actions/answer.ts"
import { knowledgePath } from "./knowledge-place.ts"

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

const MAX_NAMED = 20

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
