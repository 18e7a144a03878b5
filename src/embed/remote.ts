import { AmanError } from "../base/errors.ts"
import type { Choice } from "./choice.ts"
import { cutText } from "./cut-text.ts"
import { type Detected, modelName } from "./detect.ts"
import { promptsOf } from "./models.ts"
import { openOllama } from "./ollama.ts"
import { openOpenAi } from "./openai.ts"
import type { Patience } from "./patient-fetch.ts"
import type { Embedder } from "./port.ts"
import { toUnitRows } from "./unit-rows.ts"

/** An embedder behind an address. */
export type RemoteEmbedder = Embedder & {
  /** A chunk's text as it is sent: what vectors are kept by. Empty where there is nothing to embed. */
  readonly prepare: (text: string) => string
  /** Of prepared texts; all zeros where one cannot be embedded though others can. */
  readonly embedPrepared: (texts: readonly string[]) => Promise<Float32Array>
}

export type RemoteOptions = { readonly patience: Patience; readonly batchSize: number }

type Embed = (texts: readonly string[]) => Promise<Float32Array>
/** `quick` does not try again: for finding out which text is at fault. */
type Senders = { readonly patient: Embed; readonly quick: Embed }

/** Below so many characters a text that is refused is not refused for its length. */
const SHORT_TEXT = 256
const SAMPLE = "aman"

/** The embedder of a detected model. Asks nobody until it is asked itself. */
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

/** Half a pair of surrogates is refused by some servers. */
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
 * A text may be refused, or answered with what is no vector, for its own sake: it is found by halving and costs
 * itself only. Where not even a harmless text is embedded, the fault is the server's, and thrown.
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

/** Too long for a server that does not cut, most likely. Thrown where the server has gone meanwhile. */
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
