import { AmanError } from "../base/errors.ts"
import { log } from "../base/log.ts"
import type { Indexer } from "./indexer.ts"

type Embedding = Pick<Indexer, "embedOther" | "isOtherWhole">

/** The making of the space beside the built-in one, in the background of a server. */
export type OtherWork = {
  /** After a run of the index: whatever is new gets its vectors. */
  readonly follow: (indexer: Embedding) => void
  /** Now and then: tries again what failed, once it is due. */
  readonly retry: (indexer: Embedding) => void
  readonly finished: () => Promise<void>
}

// Whoever starts Ollama expects it to be found soon; asking costs a refused connection.
const RETRY_MS = 30_000
// An embedder that was not there, or another version of its model, is looked for this often.
const LOOK_MS = 60_000

export function otherWork(signal: AbortSignal, now = () => performance.now()): OtherWork {
  let running: Promise<void> | null = null
  let lookAgainAt = Number.NEGATIVE_INFINITY
  let hasFailed = false
  let said: string | null = null

  const start = (indexer: Embedding) => {
    running = make(indexer).finally(() => {
      running = null
    })
  }
  const make = async (indexer: Embedding) => {
    try {
      const { embedder, failure } = await indexer.embedOther({ signal, isQuiet: true })
      hasFailed = failure !== null
      say(failure?.message ?? (embedder === null ? null : `${embedder} has embedded everything`), hasFailed)
    } catch (error) {
      hasFailed = true
      if (!(error instanceof AmanError && error.code === "INTERRUPTED"))
        say(error instanceof Error ? error.message : String(error), true)
    }
    lookAgainAt = now() + (hasFailed ? RETRY_MS : LOOK_MS)
  }
  /** Once, until it is something else. */
  const say = (text: string | null, isBad: boolean) => {
    if (text !== null && text !== said) log[isBad ? "warn" : "info"]("embedder", { state: text })
    said = text
  }
  return {
    follow: (indexer) => {
      if (running !== null || signal.aborted) return
      if (now() >= lookAgainAt || (!hasFailed && !indexer.isOtherWhole)) start(indexer)
    },
    retry: (indexer) => {
      if (running === null && hasFailed && !signal.aborted && now() >= lookAgainAt) start(indexer)
    },
    finished: async () => {
      await running
    },
  }
}
