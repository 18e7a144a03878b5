import { AmanError } from "../../base/errors.ts"
import type { Choice } from "../../embed/choice.ts"
import { detectModel, modelName } from "../../embed/detect.ts"
import type { EmbeddingSpace } from "../../embed/port.ts"
import { type QueryVector, queryVectors } from "../../embed/query-vectors.ts"
import { remoteEmbedder } from "../../embed/remote.ts"
import { isSameSpace } from "../../embed/same-space.ts"
import { LONGEST_MS, PATIENCE_MS, QUERY_WINDOW_TOKENS } from "../ask-other.ts"

/** Asks that embedder for questions' vectors in the space in which the entries have theirs, and in no other. */
export function askEmbedder(
  choice: Choice,
  space: EmbeddingSpace,
  most: number,
): (text: string) => Promise<QueryVector> {
  const patience = { timeoutMs: LONGEST_MS, attempts: 1 }
  const options = { patience, batchSize: 1 }
  const embedder = remoteEmbedder(choice, { space, windowTokens: QUERY_WINDOW_TOKENS }, options)
  let isChecked = false
  const embedQuery = async (text: string) => {
    // A model of that name may be another by now.
    if (!isChecked) await checkModel(choice, space)
    isChecked = true
    return embedder.embedQuery(text)
  }
  return queryVectors(
    { ...embedder, embedQuery },
    {
      name: `${choice.provider} at ${choice.address.shown}`,
      patienceMs: PATIENCE_MS,
      most,
      now: () => performance.now(),
    },
  )
}

async function checkModel(choice: Choice, space: EmbeddingSpace): Promise<void> {
  const patience = { timeoutMs: PATIENCE_MS, attempts: 1 }
  const detected = await detectModel(choice, { ask: patience, embed: patience }, space)
  if (detected !== null && isSameSpace(detected.space, space)) return
  throw new AmanError(
    "EMBEDDER",
    `${choice.provider} at ${choice.address.shown} has another ${modelName(space)} than memories have vectors of`,
    { hint: "run: aman memory embed" },
  )
}
