import { LRUCache } from "lru-cache"
import { AmanError } from "../../base/errors.ts"
import type { Embedder } from "../port.ts"
import type { EmbedderChoice } from "./choice.ts"
import { type EmbeddingClient, openClient, type RetryPolicy, toUnitRows } from "./clients.ts"
import { type DetectedModel, modelName, promptsOf } from "./model.ts"

/** An embedder reached by an address. */
export type ConfiguredEmbedder = Embedder & {
  /** A chunk's text as it is sent, by which vectors are cached; empty if there is nothing to embed. */
  readonly prepare: (text: string) => string
  /** Vectors of prepared texts; all zeros for a text that cannot be embedded although others can. */
  readonly embedPrepared: (texts: readonly string[]) => Promise<Float32Array>
}

export type ConfiguredOptions = { readonly retry: RetryPolicy; readonly batchSize: number }

type Embed = (texts: readonly string[]) => Promise<Float32Array>
/**
 * `retrying` repeats a request after temporary failures. `once` does not; it is used to find the text that causes a
 * failure.
 */
type Senders = { readonly retrying: Embed; readonly once: Embed }

/** A text of up to this many characters was not refused for its length. */
const SHORT_TEXT = 256
const SAMPLE = "aman"

/** The embedder of a detected model. Sends no request before its first use. */
export function configuredEmbedder(
  choice: EmbedderChoice,
  detected: DetectedModel,
  options: ConfiguredOptions,
): ConfiguredEmbedder {
  const { space, windowTokens } = detected
  const prompts = promptsOf(modelName(space))
  const { retry, batchSize } = options
  const senders = {
    retrying: sender(choice, detected, retry),
    once: sender(choice, detected, { ...retry, attempts: 1 }),
  }
  const prepare = (text: string) => prepared(prompts.document, text, windowTokens)
  const embedPrepared = (texts: readonly string[]) => embedAll(senders, texts, space.dimensions, batchSize)
  return {
    space,
    prepare,
    embedPrepared,
    embedChunks: (inputs) => embedPrepared(inputs.map(({ text }) => prepare(text))),
    embedQuery: async (text) => {
      const query = prepared(prompts.query, text, windowTokens)
      return query === "" ? new Float32Array(space.dimensions) : senders.retrying([query])
    },
  }
}

/**
 * Prompt and text, truncated to the window. Made well-formed, because some servers refuse lone surrogates.
 */
function prepared(prompt: string, text: string, windowTokens: number): string {
  return text.trim() === "" ? "" : cutText(prompt + text.toWellFormed(), windowTokens)
}

/** Opens the client at the first call. */
function sender(choice: EmbedderChoice, { space }: DetectedModel, retry: RetryPolicy): Embed {
  const model = modelName(space)
  let client: Promise<EmbeddingClient> | null = null
  return async (texts) => {
    client ??= openClient(choice, retry)
    const answer = await (await client).embed(model, texts, choice.dimensions)
    return toUnitRows(answer, texts.length, space.dimensions)
  }
}

async function embedAll(
  senders: Senders,
  texts: readonly string[],
  dimensions: number,
  batchSize: number,
): Promise<Float32Array> {
  const rows = new Float32Array(texts.length * dimensions)
  const places = [...texts.keys()].filter((i) => texts[i] !== "")
  for (let at = 0; at < places.length; at += batchSize) {
    const batch = places.slice(at, at + batchSize)
    const vectors = await embedBatch(
      senders,
      batch.map((i) => texts[i]!),
      dimensions,
    )
    for (const [n, i] of batch.entries())
      rows.set(vectors.subarray(n * dimensions, (n + 1) * dimensions), i * dimensions)
  }
  return rows
}

/**
 * Embeds a batch. A single text can cause a refusal or an invalid answer; it is found by halving, and only
 * its vector is lost. If not even a harmless sample is embedded, the server is at fault, and its error is
 * thrown.
 */
async function embedBatch(
  senders: Senders,
  texts: readonly string[],
  dimensions: number,
): Promise<Float32Array> {
  try {
    return await senders.retrying(texts)
  } catch (error) {
    if (!isRefusal(error) || !(await succeeds(senders.once, SAMPLE))) throw error
  }
  return embedHalves(senders.once, texts, dimensions)
}

async function embedHalves(send: Embed, texts: readonly string[], dimensions: number): Promise<Float32Array> {
  if (texts.length === 1) return embedShortened(send, texts[0]!, dimensions)
  const middle = texts.length >> 1
  const rows = new Float32Array(texts.length * dimensions)
  for (const [from, to] of [
    [0, middle],
    [middle, texts.length],
  ] as const) {
    const half = texts.slice(from, to)
    const vectors = (await attempt(send, half)) ?? (await embedHalves(send, half, dimensions))
    rows.set(vectors, from * dimensions)
  }
  return rows
}

/**
 * Halves a refused text until it is accepted, as it is most likely too long. Throws if the server is gone
 * meanwhile.
 */
async function embedShortened(send: Embed, text: string, dimensions: number): Promise<Float32Array> {
  for (let rest = text; rest.length > SHORT_TEXT; ) {
    rest = rest.slice(0, rest.length >> 1).toWellFormed()
    const vector = await attempt(send, [rest])
    if (vector !== null) return vector
  }
  await send([SAMPLE])
  return new Float32Array(dimensions)
}

async function succeeds(send: Embed, text: string): Promise<boolean> {
  return (await attempt(send, [text])) !== null
}

async function attempt(send: Embed, texts: readonly string[]): Promise<Float32Array | null> {
  try {
    return await send(texts)
  } catch (error) {
    if (isRefusal(error)) return null
    throw error
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof AmanError && error.code === "EMBEDDER"
}

/**
 * Assumed bytes per token. Tokenizers of embedding models use at least three bytes of code for a token, and
 * at most one CJK character (3 bytes).
 */
const BYTES_PER_TOKEN = 3

/**
 * The beginning of a text that certainly fits into this many tokens, ending with a whole line if one ends in
 * its last quarter. The server would truncate or refuse the rest.
 */
export function cutText(text: string, tokens: number): string {
  const maxBytes = tokens * BYTES_PER_TOKEN
  // A code unit is three bytes at most.
  if (text.length * 3 <= maxBytes) return text
  const { read } = encoder.encodeInto(text, new Uint8Array(maxBytes))
  if (read === text.length) return text
  const line = text.lastIndexOf("\n", read)
  return text.slice(0, line >= read * 0.75 ? line : read)
}

const encoder = new TextEncoder()

/** A query's vector, or the reason why there is none in time. */
export type QueryVector = { readonly vector: Float32Array } | { readonly failure: string }

export type QueryOptions = {
  /** Name of the service in the message that it did not answer in time. */
  readonly name: string
  /** How long a query waits in ms. A later vector is cached for the next time. */
  readonly maxWaitMs: number
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
  const cached = new LRUCache<string, Float32Array>({ max: Math.max(1, options.maxCached) })
  const pending = new Map<string, Promise<QueryVector>>()
  let failure: { readonly text: string; readonly until: number } | null = null

  const fail = (text: string): QueryVector => {
    failure = { text, until: options.now() + COOL_DOWN_MS }
    return { failure: text }
  }
  const ask = async (text: string): Promise<QueryVector> => {
    try {
      const vector = await embedder.embedQuery(text)
      cached.set(text, vector)
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
    const vector = cached.get(text)
    if (vector !== undefined) return { vector }
    if (failure !== null && options.now() < failure.until) return { failure: failure.text }
    const answer = pending.get(text) ?? ask(text)
    pending.set(text, answer)
    const late = await inTime(answer, options.maxWaitMs)
    return late ?? fail(`${options.name} did not answer within ${options.maxWaitMs / 1000} s`)
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
