import { LRUCache } from "lru-cache"
import { AmanError } from "../../base/errors.ts"
import type { Embedder } from "../port.ts"

/** A query's vector, or the reason why there is none in time. */
export type QueryVector = { readonly vector: Float32Array } | { readonly failure: string }

export type QueryOptions = {
  /** Name of the service, for the message when it is late. */
  readonly name: string
  /** How long a query waits in ms. A later vector is cached for the next time. */
  readonly patienceMs: number
  /** Maximum number of cached queries. */
  readonly maxCached: number
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
}

/** After a failure the embedder is not asked for this long, because each query would wait in vain. */
const COOL_DOWN_MS = 10_000

/**
 * Embeds queries with a time limit, each query once. Embedder errors are returned as `failure`, not thrown.
 */
export function queryVectors(
  embedder: Embedder,
  options: QueryOptions,
): (text: string) => Promise<QueryVector> {
  const known = new LRUCache<string, Float32Array>({ max: Math.max(1, options.maxCached) })
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

/** The promise's value; null if it takes longer than `ms`. */
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
