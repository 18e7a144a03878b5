import { existsSync } from "node:fs"
import { AmanError } from "../../base/errors.ts"
import { recover } from "../../knowledge/recover.ts"
import type { KnowledgeAnswer } from "./calls.ts"
import { knowledgePath } from "./knowledge-place.ts"

/** A new file of what can be read of a damaged one. Opens no memory: it would not open. */
export function recoverKnowledge(): KnowledgeAnswer {
  const path = knowledgePath()
  if (!existsSync(path))
    throw new AmanError("NOT_FOUND", `there is no ${path}`, { hint: "nothing has been remembered yet" })
  const recovered = recover(path, Date.now)
  if (recovered === null)
    return { data: { recovered: null }, text: `${path} is sound: nothing was changed`, found: true }
  const { entries, events, lost, mended, kept } = recovered
  const losses =
    lost === 0
      ? "none was lost"
      : `${lost} events could not be read, ${mended} were made good from the tables`
  return {
    data: { recovered },
    text: `${entries} entries from ${events} events; ${losses}\nthe damaged file is kept: ${kept}`,
    found: true,
  }
}
