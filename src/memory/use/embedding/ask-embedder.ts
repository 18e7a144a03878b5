import { AmanError } from "../../../base/index.ts"
import {
  ANSWER_TIMEOUT_MS,
  configuredEmbedder,
  detectModel,
  type EmbedderChoice,
  type EmbeddingSpace,
  isSameSpace,
  MAX_WAIT_MS,
  modelName,
  QUERY_WINDOW_TOKENS,
  type QueryVector,
  queryVectors,
} from "../../../index/index.ts"

/** Returns a function that gets a question's vector from the embedder, always in the space of the entries. */
export function openQueryEmbedder(
  choice: EmbedderChoice,
  space: EmbeddingSpace,
): (text: string) => Promise<QueryVector> {
  const retry = { timeoutMs: MAX_WAIT_MS, attempts: 1 }
  const options = { retry, batchSize: 1 }
  const embedder = configuredEmbedder(choice, { space, windowTokens: QUERY_WINDOW_TOKENS }, options)
  let isChecked = false
  const embedQuery = async (text: string) => {
    // Another model may have been installed under the same name since the entries were embedded.
    if (!isChecked) await checkModel(choice, space)
    isChecked = true
    return embedder.embedQuery(text)
  }
  return queryVectors(
    { ...embedder, embedQuery },
    {
      name: `${choice.provider} at ${choice.address.shown}`,
      maxWaitMs: ANSWER_TIMEOUT_MS,
      now: () => performance.now(),
    },
  )
}

async function checkModel(choice: EmbedderChoice, space: EmbeddingSpace): Promise<void> {
  const retry = { timeoutMs: ANSWER_TIMEOUT_MS, attempts: 1 }
  const detected = await detectModel(choice, { ask: retry, embed: retry }, space)
  if (detected !== null && isSameSpace(detected.space, space)) return
  throw new AmanError(
    "EMBEDDER",
    `the model ${modelName(space)} of ${choice.provider} at ${choice.address.shown} has changed since memories were embedded`,
    { hint: "run: aman memory embed" },
  )
}
