import { LRUCache } from "lru-cache"
import { AmanError } from "../base/errors.ts"
import type { Embedder } from "./port.ts"

/** A query's vector, or why there is none in time. */
export type QueryVector = { readonly vector: Float32Array } | { readonly failure: string }

export type QueryOptions = {
  /** Of the service, for what is said when it is late. */
  readonly name: string
  /** How long a query waits. What comes later is kept for the next time. */
  readonly patienceMs: number
  /** Queries remembered. */
  readonly most: number
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number
}

/** After a failure, queries are answered without asking for so long: each would wait in vain. */
const COOL_DOWN_MS = 10_000

/** Embeds queries under a time limit, each once. Never throws for what the embedder does. */
export function queryVectors(
  embedder: Embedder,
  options: QueryOptions,
): (text: string) => Promise<QueryVector> {
  const known = new LRUCache<string, Float32Array>({ max: Math.max(1, options.most) })
  const pending = new Map<string, Promise<QueryVector>>()
  let failure: { readonly text: string; readonly until: number } | null = null

  const fail = (text: string): QueryVector => {
    failure = { text, until: options.now() + COOL_DOWN_MS }
    return { failure: text }
  }
  const ask = async (text: string): Promise<QueryVector> => {
    try {
      const vector = await embedder.embedQuery(text)
      known.set(text, vector)
      failure = null
      return { vector }
    } catch (error) {
      if (!(error instanceof AmanError)) throw error
      return fail(error.hint === undefined ? error.message : `${error.message} (${error.hint})`)
    } finally {
      pending.delete(text)
    }
  }
  return async (text) => {
    const vector = known.get(text)
    if (vector !== undefined) return { vector }
    if (failure !== null && options.now() < failure.until) return { failure: failure.text }
    const asked = pending.get(text) ?? ask(text)
    pending.set(text, asked)
    const late = await inTime(asked, options.patienceMs)
    return late ?? fail(`${options.name} did not answer within ${options.patienceMs / 1000} s`)
  }
}

/** Null where it takes longer. */
async function inTime<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const limit = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms)
  })
  try {
    return await Promise.race([promise, limit])
  } finally {
    clearTimeout(timer)
  }
}
