import { join } from "node:path"
import { AmanError, log, userDataDir } from "../../base/index.ts"
import {
  type DetectedModel,
  detectModel,
  type EmbedderChoice,
  embedderChoice,
  embedPolicies,
  modelName,
} from "../embed/model.ts"
import {
  CACHE_FILE,
  type ConfiguredContext,
  configuredSpace,
  type EmbedderFailure,
  embedConfigured,
  leaveSpace,
  openVectorCache,
  storeEmbedderFailure,
} from "../embedding/embed-configured.ts"

export type ConfiguredOutcome = {
  /** Embedder in use, such as "ollama nomic-embed-text:latest"; null if there is none. */
  readonly embedder: string | null
  readonly failure: EmbedderFailure | null
}

export type MakeContext = Omit<ConfiguredContext, "embedder" | "cache" | "check"> & {
  /** False once another run has rebuilt the index, so that the result of this job is of no use. */
  readonly isCurrent: () => boolean
}

/**
 * Finds the configured embedder and completes its space. A failure is stored in the index and returned, not
 * thrown, because the built-in space still serves. INTERRUPTED is thrown.
 */
export async function buildConfiguredSpace(context: MakeContext): Promise<ConfiguredOutcome> {
  const { store, config, exclusively, isCurrent } = context
  let choice: EmbedderChoice | null = null
  let embedder: string | null = null
  const failure = await embedderFailure(async () => {
    choice = embedderChoice(config.embeddings)
    const detected = choice === null ? null : await detectForIndex(context, choice)
    if (choice === null || detected === null) {
      await exclusively(async () => leaveSpace(store, config.index.dir))
      return null
    }
    embedder = `${detected.space.provider} ${modelName(detected.space)}`
    return await embedAll(context, choice, detected)
  })
  // An embedder that was only looked for automatically and never used is no failure.
  const isNone = isAutomatic(choice) && isCurrent() && configuredSpace(store) === null
  const reported = isNone ? null : failure
  if (isCurrent()) storeEmbedderFailure(store, reported)
  return { embedder, failure: reported }
}

function isAutomatic(choice: EmbedderChoice | null): boolean {
  return choice?.isAutomatic ?? false
}

async function embedderFailure(act: () => Promise<EmbedderFailure | null>): Promise<EmbedderFailure | null> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof AmanError) || (error.code !== "EMBEDDER" && error.code !== "USAGE")) throw error
    return { message: `${error.message}; the built-in vectors are used`, hint: error.hint ?? null }
  }
}

async function detectForIndex(
  { store, signal }: MakeContext,
  choice: EmbedderChoice,
): Promise<DetectedModel | null> {
  const present = configuredSpace(store)
  const detected = await detectModel(choice, embedPolicies(signal), present)
  if (detected !== null || present?.provider !== "ollama") return detected
  throw new AmanError(
    "EMBEDDER",
    `Ollama at ${choice.address.shown} no longer has the model ${modelName(present)}`,
    {
      hint: `run: ollama pull ${modelName(present)}`,
    },
  )
}

async function embedAll(
  context: MakeContext,
  choice: EmbedderChoice,
  detected: DetectedModel,
): Promise<EmbedderFailure | null> {
  const { lead, signal, now, isCurrent } = context
  const { BATCH_TEXTS, configuredEmbedder } = await import("../embed/embedder.ts")
  const embedder = configuredEmbedder(choice, detected, {
    batchSize: BATCH_TEXTS,
    retry: embedPolicies(signal).batch,
  })
  using cache = openVectorCache(join(userDataDir(), CACHE_FILE), now, () => reportDamage(CACHE_FILE))
  await embedConfigured({
    ...context,
    embedder,
    cache,
    check: () => {
      if (signal?.aborted || !lead.held || !isCurrent())
        throw new AmanError("INTERRUPTED", "embedding was interrupted", {
          hint: "finished work is kept; run: aman index",
        })
    },
  })
  const lost = cache.failure()
  return lost === null ? null : { message: lost, hint: null }
}

/** Logs that a file of the index could not be used and is rebuilt. */
export function reportDamage(file: string): void {
  log.warn("a file of the index was damaged or missing; it is being rebuilt", { file })
}
