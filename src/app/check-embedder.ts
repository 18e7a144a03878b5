import { AmanError } from "../base/errors.ts"
import type { Config } from "../config/load.ts"
import { type Choice, choiceOf } from "../embed/choice.ts"
import { detectModel, preferredOf } from "../embed/detect.ts"
import { PREFERRED_MODELS } from "../embed/models.ts"
import { openOllama } from "../embed/ollama.ts"
import type { Patience } from "../embed/patient-fetch.ts"
import type { Check } from "./doctor.ts"

const name = "embedder"
const ASK: Patience = { timeoutMs: 2_000, attempts: 1 }
// A server may have to load the model first.
const EMBED: Patience = { timeoutMs: 30_000, attempts: 1 }

/** Whether the embedder beside the built-in one answers, and has a model. Downloads none. */
export async function checkEmbedder({ embeddings }: Config): Promise<Check[]> {
  const builtIn: Check = { name, state: "ok", message: "static768 is built in", next: null }
  try {
    const choice = choiceOf(embeddings)
    if (choice === null) return [builtIn]
    return [builtIn, choice.provider === "ollama" ? await checkOllama(choice) : await checkOpenAi(choice)]
  } catch (error) {
    if (!(error instanceof AmanError)) throw error
    return [builtIn, { name, state: "error", message: error.message, next: error.hint ?? null }]
  }
}

async function checkOllama(choice: Choice): Promise<Check> {
  try {
    const ollama = await openOllama(choice.address, ASK)
    const [version, installed] = await Promise.all([ollama.version(), ollama.installed()])
    const where = `Ollama ${version} at ${choice.address.shown}`
    if (choice.model !== null) {
      await detectModel(choice, { ask: ASK, embed: EMBED })
      return { name, state: "ok", message: `${where} has ${choice.model}`, next: null }
    }
    const model = preferredOf(installed, null)
    if (model !== null) return { name, state: "ok", message: `${where} has ${model.name}`, next: null }
    const message = `${where} has none of ${PREFERRED_MODELS.join(", ")}`
    return {
      name,
      state: "warning",
      message,
      next: `for better answers by meaning: ollama pull ${PREFERRED_MODELS[0]}`,
    }
  } catch (error) {
    if (!(error instanceof AmanError) || !choice.isAutomatic) throw error
    // Nobody asked for it.
    return {
      name,
      state: "ok",
      message: `no Ollama at ${choice.address.shown}: it is not needed`,
      next: null,
    }
  }
}

async function checkOpenAi(choice: Choice): Promise<Check> {
  const found = await detectModel(choice, { ask: ASK, embed: EMBED })
  const { address, model } = choice
  const message = `${address.shown} answers with ${model}, ${found?.space.dimensions} dimensions`
  return { name, state: "ok", message, next: null }
}
