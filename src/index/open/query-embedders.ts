import { AmanError, type Config } from "../../base/index.ts"
import type { QueryVector } from "../embed/embedder.ts"
import { detectModel, type EmbedderChoice, embedderChoice, modelName, programDigest } from "../embed/model.ts"
import { type EmbeddingSpace, isSameSpace } from "../embed/port.ts"
import type { QueryEmbedders } from "./sources.ts"

// Time in ms that a search waits for its vector. A model that must be loaded first takes longer; its vector is cached.
const ANSWER_TIMEOUT_MS = 2_000

const MAX_WAIT_MS = 60_000
// Queries are cut to this many tokens. The model's real window, which only a request would tell, is needed for
// documents alone.
const QUERY_WINDOW_TOKENS = 8_192

/**
 * Returns a function that embeds queries with the configured embedder. The address comes from the settings
 * only, never from the index.
 */
export function queryEmbedders(config: Config): QueryEmbedders {
  const embedders = new Map<string, Promise<(text: string) => Promise<QueryVector>>>()
  return (space) => {
    const choice = choiceFor(config, space)
    if (choice === null) return null
    const key = JSON.stringify(space)
    return async (text) => {
      const embed = embedders.get(key) ?? openQueryEmbedder(choice, space, false)
      embedders.set(key, embed)
      return (await embed)(text)
    }
  }
}

/**
 * Opens the embedder of queries for this space. `checksModel`: the first query fails if another model has been
 * installed under the same name since memories were embedded.
 */
export async function openQueryEmbedder(
  choice: EmbedderChoice,
  space: EmbeddingSpace,
  checksModel: boolean,
): Promise<(text: string) => Promise<QueryVector>> {
  const { configuredEmbedder, queryVectors } = await import("../embed/embedder.ts")
  const retry = { timeoutMs: MAX_WAIT_MS, attempts: 1 }
  const detected = { space, windowTokens: QUERY_WINDOW_TOKENS }
  const embedder = configuredEmbedder(choice, detected, { retry, batchSize: 1 })
  let isChecked = !checksModel
  const embedQuery = async (text: string) => {
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

/** True unless the space's vectors come from another server or program than the configured one. */
function isFromSameServer(choice: EmbedderChoice, { model }: EmbeddingSpace): boolean {
  switch (choice.provider) {
    case "ollama":
      return true
    case "openai":
      return model.endsWith(`@${new URL(choice.address.url).host}`)
    case "program":
      return model.endsWith(`@${programDigest(choice)}`)
  }
}

/**
 * The configured embedder if it matches this space; null when none is configured or it is a different one.
 */
export function choiceFor(
  { embeddings }: Pick<Config, "embeddings">,
  space: EmbeddingSpace,
): EmbedderChoice | null {
  let choice: EmbedderChoice | null
  try {
    choice = embedderChoice(embeddings)
  } catch {
    // Indexing and `status` report the invalid setting.
    return null
  }
  if (choice === null || choice.provider !== space.provider) return null
  const isServer = isFromSameServer(choice, space)
  const name = modelName(space)
  const isModel = choice.model === null || name === choice.model || name === `${choice.model}:latest`
  const isWide = choice.dimensions === null || choice.dimensions === space.dimensions
  return isServer && isModel && isWide ? choice : null
}
