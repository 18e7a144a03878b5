import { LRUCache } from "lru-cache"
import { AmanError } from "../../base/index.ts"
import { type EmbeddingClient, openClient, type RetryPolicy, toUnitRows } from "./clients.ts"
import { type DetectedModel, type EmbedderChoice, modelName, promptsOf } from "./model.ts"
import type { Embedder } from "./port.ts"

/** An embedder that is a server or a program. */
export type ConfiguredEmbedder = Embedder & {
  /** Returns the text of a chunk as it is sent, by which vectors are cached; "" if there is nothing to embed. */
  readonly prepare: (text: string) => string
  /**
   * Returns the vectors of prepared texts. A vector is all zeros if its text cannot be embedded although others can.
   */
  readonly embedPrepared: (texts: readonly string[]) => Promise<Float32Array>
}

/** Number of texts that one request embeds. */
export const BATCH_TEXTS = 32

export type ConfiguredOptions = { readonly retry: RetryPolicy; readonly batchSize: number }

type Embed = (texts: readonly string[]) => Promise<Float32Array>
/**
 * Two functions that send a request: `retrying` repeats it after a temporary failure; `once` does not, and is used to
 * find the text that causes a failure.
 */
type Senders = { readonly retrying: Embed; readonly once: Embed }

/** If a server refuses a text of at most this many characters, the reason is not its length. */
const SHORT_TEXT = 256
const SAMPLE = "aman"

/** The embedder for a model that was detected. It sends no request before its first use. */
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

/** Prompt and text, truncated to the model's window. Lone surrogates are replaced, because some servers refuse them. */
function prepared(prompt: string, text: string, windowTokens: number): string {
  return text.trim() === "" ? "" : cutText(prompt + text.toWellFormed(), windowTokens)
}

/** Returns a function that opens the client at its first call and sends requests. */
function sender(choice: EmbedderChoice, { space }: DetectedModel, retry: RetryPolicy): Embed {
  const model = modelName(space)
  let client: EmbeddingClient | null = null
  return async (texts) => {
    client ??= openClient(choice, retry)
    const answer = await client.embed(model, texts, choice.dimensions)
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
 * Embeds a batch of texts. A single text can cause a refusal or an invalid answer. It is found by halving the batch,
 * and only its vector is lost. If the server cannot even embed a harmless sample, the fault is the server's, and its
 * error is thrown.
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
    const vectors = (await tryToSend(send, half)) ?? (await embedHalves(send, half, dimensions))
    rows.set(vectors, from * dimensions)
  }
  return rows
}

/**
 * Embeds a text that was refused. It is halved until it is accepted, because it is probably too long. Throws if the
 * server has become unreachable.
 */
async function embedShortened(send: Embed, text: string, dimensions: number): Promise<Float32Array> {
  for (let rest = text; rest.length > SHORT_TEXT; ) {
    rest = rest.slice(0, rest.length >> 1).toWellFormed()
    const vector = await tryToSend(send, [rest])
    if (vector !== null) return vector
  }
  await send([SAMPLE])
  return new Float32Array(dimensions)
}

async function succeeds(send: Embed, text: string): Promise<boolean> {
  return (await tryToSend(send, [text])) !== null
}

async function tryToSend(send: Embed, texts: readonly string[]): Promise<Float32Array | null> {
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
 * Assumed number of bytes per token: code has at least three bytes per token in the tokenizers of embedding models, and
 * a CJK character (3 bytes) is at most one token.
 */
const BYTES_PER_TOKEN = 3

/**
 * The beginning of a text, at most `tokens` × BYTES_PER_TOKEN bytes, because a server would truncate or refuse a longer
 * text. It ends at the end of a line if there is one in its last quarter.
 */
export function cutText(text: string, tokens: number): string {
  const maxBytes = tokens * BYTES_PER_TOKEN
  // A UTF-16 unit takes at most three bytes.
  if (text.length * 3 <= maxBytes) return text
  const { read } = encoder.encodeInto(text, new Uint8Array(maxBytes))
  if (read === text.length) return text
  const line = text.lastIndexOf("\n", read)
  return text.slice(0, line >= read * 0.75 ? line : read)
}

const encoder = new TextEncoder()

/** The vector of a query; or, if it was not available in time, the reason. */
export type QueryVector = { readonly vector: Float32Array } | { readonly failure: string }

export type QueryOptions = {
  /** Name of the service, for the message that it did not answer in time. */
  readonly name: string
  /** How long a query waits, in ms. A vector that comes later is cached for the next query. */
  readonly maxWaitMs: number
  /** Maximum number of cached queries; MAX_CACHED if it is not given. */
  readonly maxCached?: number
  /** Returns milliseconds of a monotonic clock. */
  readonly now: () => number
}

/** After a failure, the embedder gets no requests for this long, because each query would wait in vain. */
const COOL_DOWN_MS = 10_000
const MAX_CACHED = 1000

/**
 * Embeds queries with a time limit, and caches the vectors. Errors of the embedder are returned as `failure` and not
 * thrown.
 */
export function queryVectors(
  embedder: Embedder,
  options: QueryOptions,
): (text: string) => Promise<QueryVector> {
  const cached = new LRUCache<string, Float32Array>({ max: options.maxCached ?? MAX_CACHED })
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

/** The value of a promise; null if it takes longer than `ms` milliseconds. */
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
