import type { Config } from "../config/load.ts"
import { type Choice, choiceOf } from "../embed/choice.ts"
import { modelName } from "../embed/detect.ts"
import type { EmbeddingSpace } from "../embed/port.ts"
import type { QueryVector } from "../embed/query-vectors.ts"
import type { AskOther } from "../search/sources.ts"
import type { SpaceRow } from "../store/spaces.ts"

// A person waits for a search; a model that has to be loaded first takes longer, and serves the next query.
export const PATIENCE_MS = 2_000
export const LONGEST_MS = 60_000
// The query is cut to it; documents are where windows matter.
export const QUERY_WINDOW_TOKENS = 8_192

/**
 * What asks the embedder of the settings for queries' vectors. The address is that of the settings: an index never says
 * whom to ask.
 */
export function askOther(config: Config): AskOther {
  const known = new Map<string, Promise<(text: string) => Promise<QueryVector>>>()
  return (space) => {
    const choice = choiceFor(config, space)
    if (choice === null) return null
    const key = JSON.stringify(space)
    return async (text) => {
      const embed = known.get(key) ?? open(choice, space, config.performance.cacheSize)
      known.set(key, embed)
      return (await embed)(text)
    }
  }
}

async function open(choice: Choice, space: SpaceRow, most: number) {
  const [{ remoteEmbedder }, { queryVectors }] = await Promise.all([
    import("../embed/remote.ts"),
    import("../embed/query-vectors.ts"),
  ])
  const patience = { timeoutMs: LONGEST_MS, attempts: 1 }
  const detected = { space, windowTokens: QUERY_WINDOW_TOKENS }
  const embedder = remoteEmbedder(choice, detected, { patience, batchSize: 1 })
  return queryVectors(embedder, {
    name: `${choice.provider} at ${choice.address.shown}`,
    patienceMs: PATIENCE_MS,
    most,
    now: () => performance.now(),
  })
}

/** Null where the settings name nobody, or another embedder than this space's. */
export function choiceFor({ embeddings }: Pick<Config, "embeddings">, space: EmbeddingSpace): Choice | null {
  let choice: Choice | null
  try {
    choice = choiceOf(embeddings)
  } catch {
    // Said by whoever indexes, and in status.
    return null
  }
  if (choice === null || choice.provider !== space.provider) return null
  const isServer =
    choice.provider !== "openai" || space.model.endsWith(`@${new URL(choice.address.url).host}`)
  const name = modelName(space)
  const isModel = choice.model === null || name === choice.model || name === `${choice.model}:latest`
  const isWide = choice.dimensions === null || choice.dimensions === space.dimensions
  return isServer && isModel && isWide ? choice : null
}
