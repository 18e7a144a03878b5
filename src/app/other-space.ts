import { join } from "node:path"
import { AmanError } from "../base/errors.ts"
import { userDataDir } from "../base/paths.ts"
import { type Choice, choiceOf } from "../embed/choice.ts"
import { type Detected, type DetectPatience, detectModel, modelName } from "../embed/detect.ts"
import { embedOther, type OtherContext } from "../indexing/embed-other.ts"
import { leaveSpace, noteOtherFailure, type OtherFailure, otherSpace } from "../indexing/other-space.ts"
import { vectorKeep } from "../indexing/vector-keep.ts"
import { reportDamage } from "./report-damage.ts"

export type OtherOutcome = {
  /** The embedder that is asked, "ollama nomic-embed-text:latest"; null where none is. */
  readonly embedder: string | null
  readonly failure: OtherFailure | null
}

export type MakeContext = Omit<OtherContext, "embedder" | "keep" | "check"> & {
  /** False once the index was made anew by a run in between. */
  readonly isCurrent: () => boolean
}

const KEPT = "embeddings.db"
/** Whoever listens on this machine says so at once; a model may have to be loaded. */
const ASK_TIMEOUT_MS = 2_000
const BATCH_ATTEMPTS = 4

/**
 * Finds the embedder that the settings want beside the built-in one, and makes its space whole. Its failure is noted
 * in the index and answered, not thrown: the built-in space serves. INTERRUPTED is thrown.
 */
export async function makeOtherSpace(context: MakeContext): Promise<OtherOutcome> {
  const { store, config, exclusively, isCurrent } = context
  let choice: Choice | null = null
  let embedder: string | null = null
  const failure = await failureOf(async () => {
    choice = choiceOf(config.embeddings)
    const detected = choice === null ? null : await detect(context, choice)
    if (choice === null || detected === null) {
      await exclusively(async () => leaveSpace(store, config.index.dir))
      return null
    }
    embedder = `${detected.space.provider} ${modelName(detected.space)}`
    return await embedAll(context, choice, detected)
  })
  // Nobody asked for it, and nothing was lost.
  const isNone = isAutomatic(choice) && isCurrent() && otherSpace(store) === null
  const noted = isNone ? null : failure
  if (isCurrent()) noteOtherFailure(store, noted)
  return { embedder, failure: noted }
}

function isAutomatic(choice: Choice | null): boolean {
  return choice?.isAutomatic ?? false
}

async function failureOf(act: () => Promise<OtherFailure | null>): Promise<OtherFailure | null> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof AmanError) || (error.code !== "EMBEDDER" && error.code !== "USAGE")) throw error
    return { message: `${error.message}; the built-in vectors serve`, hint: error.hint ?? null }
  }
}

async function detect({ store, config, signal }: MakeContext, choice: Choice): Promise<Detected | null> {
  const present = otherSpace(store)
  const patience: DetectPatience = {
    ask: { timeoutMs: ASK_TIMEOUT_MS, attempts: 1, signal },
    embed: { timeoutMs: config.embeddings.timeoutMs, attempts: 1, signal },
  }
  const detected = await detectModel(choice, patience, present)
  if (detected !== null || present?.provider !== "ollama") return detected
  throw new AmanError(
    "EMBEDDER",
    `Ollama at ${choice.address.shown} has no model ${modelName(present)} any more`,
    {
      hint: `run: ollama pull ${modelName(present)}`,
    },
  )
}

async function embedAll(
  context: MakeContext,
  choice: Choice,
  detected: Detected,
): Promise<OtherFailure | null> {
  const { config, lead, signal, now, isCurrent } = context
  const { remoteEmbedder } = await import("../embed/remote.ts")
  const { batchSize, timeoutMs } = config.embeddings
  const embedder = remoteEmbedder(choice, detected, {
    batchSize,
    patience: { timeoutMs, attempts: BATCH_ATTEMPTS, signal },
  })
  using keep = vectorKeep(join(userDataDir(), KEPT), now, () => reportDamage(KEPT))
  await embedOther({
    ...context,
    embedder,
    keep,
    check: () => {
      if (signal?.aborted || !lead.held || !isCurrent())
        throw new AmanError("INTERRUPTED", "embedding was interrupted", {
          hint: "what is done is kept; run: aman index",
        })
    },
  })
  const lost = keep.failure()
  return lost === null ? null : { message: lost, hint: null }
}
