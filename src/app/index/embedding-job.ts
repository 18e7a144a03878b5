import { AmanError, messageOf } from "../../base/errors.ts"
import { log } from "../../base/log.ts"
import type { Indexer } from "./indexer.ts"

type Embedding = Pick<Indexer, "embedConfigured" | "isConfiguredComplete">

/** Builds the configured embedder's space in the background of a server. */
export type EmbeddingJob = {
  /** Called after each index run: embeds new files. */
  readonly follow: (indexer: Embedding) => void
  /** Called periodically: retries a failed attempt once it is due. */
  readonly retry: (indexer: Embedding) => void
  readonly finished: () => Promise<void>
}

// A user who starts Ollama expects it to be found soon; each try costs a refused connection.
const RETRY_MS = 30_000
// Interval for detecting a new embedder, or another version of its model.
const CHECK_MS = 60_000

export function embeddingJob(signal: AbortSignal, now = () => performance.now()): EmbeddingJob {
  let running: Promise<void> | null = null
  let nextCheckAt = Number.NEGATIVE_INFINITY
  let hasFailed = false
  let loggedState: string | null = null

  const start = (indexer: Embedding) => {
    running = embedAll(indexer).finally(() => {
      running = null
    })
  }
  const embedAll = async (indexer: Embedding) => {
    try {
      const { embedder, failure } = await indexer.embedConfigured({ signal, isQuiet: true })
      hasFailed = failure !== null
      logState(
        failure?.message ?? (embedder === null ? null : `${embedder} has embedded all chunks`),
        hasFailed,
      )
    } catch (error) {
      hasFailed = true
      if (!(error instanceof AmanError && error.code === "INTERRUPTED")) logState(messageOf(error), true)
    }
    nextCheckAt = now() + (hasFailed ? RETRY_MS : CHECK_MS)
  }
  /** Logs a state once, until it changes. */
  const logState = (text: string | null, isBad: boolean) => {
    if (text !== null && text !== loggedState) log[isBad ? "warn" : "info"]("embedder", { state: text })
    loggedState = text
  }
  return {
    follow: (indexer) => {
      if (running !== null || signal.aborted) return
      if (now() >= nextCheckAt || (!hasFailed && !indexer.isConfiguredComplete)) start(indexer)
    },
    retry: (indexer) => {
      if (running === null && hasFailed && !signal.aborted && now() >= nextCheckAt) start(indexer)
    },
    finished: async () => {
      await running
    },
  }
}
