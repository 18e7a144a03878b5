import { AmanError } from "../../base/errors.ts"
import type { EmbeddingSpace } from "../port.ts"
import { toUnitRows } from "../unit-rows.ts"
import type { Choice } from "./choice.ts"
import { familyOf, PREFERRED_MODELS } from "./models.ts"
import { type InstalledModel, type Ollama, openOllama } from "./ollama.ts"
import { openOpenAi } from "./openai.ts"
import type { Patience } from "./patient-fetch.ts"

/** A model found at the configured address. */
export type Detected = { readonly space: EmbeddingSpace; readonly windowTokens: number }

/** Increased when the preparation of texts (prompts, truncation) changes, which makes it another space. */
const PREPARATION_VERSION = 1
/**
 * Used if a server does not report its window; that of OpenAI's models. Servers truncate or refuse longer
 * texts.
 */
const USUAL_WINDOW_TOKENS = 8192
const DIGEST_DIGITS = 12
const SAMPLE = "aman"

/** `ask` for requests answered at once, `embed` for those that may have to load a model. */
export type DetectPatience = { readonly ask: Patience; readonly embed: Patience }

/**
 * Determines the model and its dimensions. Null if the user named none and no preferred model is installed.
 * `present`: the existing space, whose model is kept while it is installed.
 */
export async function detectModel(
  choice: Choice,
  patience: DetectPatience,
  present: EmbeddingSpace | null = null,
): Promise<Detected | null> {
  const mine = present?.provider === choice.provider ? present : null
  return choice.provider === "ollama"
    ? await detectOllama(choice, patience, mine)
    : await detectOpenAi(choice, patience, mine)
}

/**
 * The model name used in requests and for display; a space adds a digest or host to distinguish equal names.
 */
export function modelName(space: Pick<EmbeddingSpace, "model">): string {
  return space.model.split("@")[0]!
}

async function detectOllama(
  choice: Choice,
  patience: DetectPatience,
  present: EmbeddingSpace | null,
): Promise<Detected | null> {
  const ollama = await openOllama(choice.address, patience.ask)
  const installed = await ollama.installed()
  const kept = present === null ? null : modelName(present)
  const model = choice.model === null ? preferredOf(installed, kept) : named(installed, choice.model)
  if (model === null) {
    if (choice.isAutomatic && choice.model === null) return null
    throw missing(choice)
  }
  const digest = model.digest.replace(/^sha256:/, "").slice(0, DIGEST_DIGITS)
  const space = { provider: "ollama", model: `${model.name}@${digest}`, version: PREPARATION_VERSION }
  const embed = async (text: string) =>
    (await openOllama(choice.address, patience.embed)).embed(model.name, [text], choice.dimensions)
  return {
    space: { ...space, dimensions: await dimensionsOf(embed, choice, space, present) },
    windowTokens: (await windowOf(ollama, model.name)) ?? USUAL_WINDOW_TOKENS,
  }
}

/**
 * The server is part of the space's model name, because two servers may have different models of one name.
 */
async function detectOpenAi(
  choice: Choice,
  patience: DetectPatience,
  present: EmbeddingSpace | null,
): Promise<Detected> {
  const { address, model, dimensions } = choice
  const host = new URL(address.url).host
  const space = { provider: "openai", model: `${model}@${host}`, version: PREPARATION_VERSION }
  const openAi = openOpenAi(address, patience.embed)
  const embed = (text: string) => openAi.embed(model!, [text], dimensions)
  return {
    space: { ...space, dimensions: await dimensionsOf(embed, choice, space, present) },
    windowTokens: USUAL_WINDOW_TOKENS,
  }
}

/** The length of a first vector; a known existing space already has it, which avoids loading the model. */
async function dimensionsOf(
  embed: (text: string) => Promise<unknown>,
  choice: Choice,
  space: Omit<EmbeddingSpace, "dimensions">,
  present: EmbeddingSpace | null,
): Promise<number> {
  const isKnown = present?.model === space.model && present.version === space.version
  if (isKnown && (choice.dimensions ?? present.dimensions) === present.dimensions) return present.dimensions
  return toUnitRows(await embed(SAMPLE), 1, choice.dimensions).length
}

/** The model's window in tokens; null if the server does not report it, for example an old version. */
async function windowOf(ollama: Ollama, model: string): Promise<number | null> {
  try {
    return await ollama.windowOf(model)
  } catch (error) {
    if (error instanceof AmanError && error.code === "INTERRUPTED") throw error
    return null
  }
}

/**
 * The best installed family, and of its sizes the smallest, because a large one is slow and was not
 * requested.
 */
export function preferredOf(
  installed: readonly InstalledModel[],
  present: string | null,
): InstalledModel | null {
  const local = installed.filter((model) => !model.isCloud)
  const kept = local.find((model) => model.name === present)
  if (kept !== undefined && PREFERRED_MODELS.some((family) => familyOf(kept.name) === family)) return kept
  for (const family of PREFERRED_MODELS) {
    const sizes = local.filter((model) => familyOf(model.name) === family)
    if (sizes.length > 0)
      return sizes.reduce((smallest, model) => (model.bytes < smallest.bytes ? model : smallest))
  }
  return null
}

function named(installed: readonly InstalledModel[], name: string): InstalledModel | null {
  const tagged = name.includes(":") ? name : `${name}:latest`
  return installed.find((model) => model.name === name || model.name === tagged) ?? null
}

function missing({ address, model }: Choice): AmanError {
  const wanted = model ?? PREFERRED_MODELS[0]
  const what = model === null ? "none of the models that are taken by themselves" : `no model ${model}`
  return new AmanError("EMBEDDER", `Ollama at ${address.shown} has ${what}`, {
    hint: `run: ollama pull ${wanted}`,
  })
}
