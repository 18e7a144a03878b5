import { AmanError } from "../../base/errors.ts"
import type { Embedder } from "../port.ts"
import { toUnitRows } from "../unit-rows.ts"
import type { Choice } from "./choice.ts"
import { type Detected, modelName } from "./detect.ts"
import { promptsOf } from "./models.ts"
import { openOllama } from "./ollama.ts"
import { openOpenAi } from "./openai.ts"
import type { Patience } from "./patient-fetch.ts"

/** An embedder reached by an address. */
export type RemoteEmbedder = Embedder & {
  /** A chunk's text as it is sent, by which vectors are cached; empty if there is nothing to embed. */
  readonly prepare: (text: string) => string
  /** Vectors of prepared texts; all zeros for a text that cannot be embedded although others can. */
  readonly embedPrepared: (texts: readonly string[]) => Promise<Float32Array>
}

export type RemoteOptions = { readonly patience: Patience; readonly batchSize: number }

type Embed = (texts: readonly string[]) => Promise<Float32Array>
/** `quick` does not retry; it is used to find the text that causes a failure. */
type Senders = { readonly patient: Embed; readonly quick: Embed }

/** A refused text of up to this many characters is not refused because of its length. */
const SHORT_TEXT = 256
const SAMPLE = "aman"

/** The embedder of a detected model. Sends no request before its first use. */
export function remoteEmbedder(choice: Choice, detected: Detected, options: RemoteOptions): RemoteEmbedder {
  const { space, windowTokens } = detected
  const prompts = promptsOf(modelName(space))
  const { patience, batchSize } = options
  const senders = {
    patient: sender(choice, detected, patience),
    quick: sender(choice, detected, { ...patience, attempts: 1 }),
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
      return query === "" ? new Float32Array(space.dimensions) : senders.patient([query])
    },
  }
}

/**
 * Prompt and text, truncated to the window. Made well-formed, because some servers refuse lone surrogates.
 */
function prepared(prompt: string, text: string, windowTokens: number): string {
  return text.trim() === "" ? "" : cutText(prompt + text.toWellFormed(), windowTokens)
}

function sender(choice: Choice, { space }: Detected, patience: Patience): Embed {
  const model = modelName(space)
  let service: Promise<Pick<Awaited<ReturnType<typeof openOllama>>, "embed">> | null = null
  return async (texts) => {
    service ??=
      choice.provider === "ollama"
        ? openOllama(choice.address, patience)
        : Promise.resolve(openOpenAi(choice.address, patience))
    const answer = await (await service).embed(model, texts, choice.dimensions)
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
    return await senders.patient(texts)
  } catch (error) {
    if (!isRefusal(error) || !(await succeeds(senders.quick, SAMPLE))) throw error
  }
  return embedHalves(senders.quick, texts, dimensions)
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
