import { AmanError } from "../../base/index.ts"

export type GrammarExample = { readonly name: string; readonly text: string }

export type GrammarTask = {
  readonly wasm: Uint8Array
  readonly query: string
  readonly examples: readonly GrammarExample[]
}

export type TriedExample = {
  readonly name: string
  readonly definitions: number
  /** Share of the characters in error nodes, 0 to 1. */
  readonly errors: number
}

export type GrammarTrial = { readonly abi: number; readonly examples: readonly TriedExample[] }

/** The thread's answer; `refused` says why the grammar cannot be used. */
export type TrialReply = GrammarTrial | { readonly refused: string }

/** Time limit of a trial. A built-in grammar takes less than a second, with twenty examples. */
const TRIAL_MS = 30_000

/**
 * Loads a grammar in a separate thread, compiles its query and parses the examples. Throws if the grammar cannot be
 * used, or if the thread does not answer in time.
 */
export async function tryGrammar(task: GrammarTask): Promise<GrammarTrial> {
  const thread = new Worker(new URL("./trial-worker.ts", import.meta.url), { type: "module", smol: true })
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    const reply = await new Promise<TrialReply>((resolve) => {
      thread.onmessage = ({ data }: MessageEvent<TrialReply>) => resolve(data)
      thread.onerror = ({ message }) => resolve({ refused: `it fails: ${message}` })
      timer = setTimeout(
        () => resolve({ refused: `it does not answer within ${TRIAL_MS / 1000} s` }),
        TRIAL_MS,
      )
      thread.postMessage(task)
    })
    if (!("refused" in reply)) return reply
    throw new AmanError("USAGE", `the grammar cannot be used: ${reply.refused}`, {
      hint: "the query contract is described in docs/grammars.md",
    })
  } finally {
    clearTimeout(timer)
    thread.terminate()
  }
}
