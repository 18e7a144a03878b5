import { AmanError } from "../../base/errors.ts"
import { type Choice, choiceOf, type EmbeddingSettings } from "./choice.ts"
import { detectModel, modelName, preferredOf } from "./detect.ts"
import { PREFERRED_MODELS } from "./models.ts"
import { openOllama } from "./ollama.ts"

/** The state of the configured embedder. */
export type EmbedderReport = {
  readonly provider: "static" | "ollama" | "openai"
  /** The embedder's address; null if none is configured. */
  readonly address: string | null
  /** True if the user did not name it, so that its absence is no error. */
  readonly isAutomatic: boolean
  readonly isReachable: boolean
  /** The server's version; null if unknown. */
  readonly version: string | null
  readonly installed: readonly string[]
  /** The model that would be used, with its dimensions. */
  readonly model: string | null
  readonly dimensions: number | null
  /** The failure and what to do about it; null if there is none. */
  readonly failure: string | null
  readonly hint: string | null
}

const ASK_TIMEOUT_MS = 2_000
const LOAD_TIMEOUT_MS = 60_000
const NOT_CONFIGURED: EmbedderReport = {
  provider: "static",
  address: null,
  isAutomatic: false,
  isReachable: false,
  version: null,
  installed: [],
  model: null,
  dimensions: null,
  failure: null,
  hint: null,
}

/**
 * Asks the configured embedder all that indexing asks, including one vector. Its failures are reported, not
 * thrown.
 */
export async function probeEmbedder(
  settings: EmbeddingSettings,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<EmbedderReport> {
  let report = NOT_CONFIGURED
  try {
    const choice = choiceOf(settings, env)
    if (choice === null) return report
    const { provider, address, isAutomatic } = choice
    report = { ...report, provider, address: address.shown, isAutomatic }
    if (provider === "ollama") report = { ...report, ...(await askOllama(choice)) }
    return report.hint === null ? { ...report, ...(await askModel(choice)) } : report
  } catch (error) {
    if (!(error instanceof AmanError)) throw error
    return { ...report, failure: error.message, hint: error.hint ?? null }
  }
}

/**
 * Address and version of an Ollama on this machine that the user has not configured; null if there is none.
 * Only its version is requested; no text is sent.
 */
export async function unusedOllama(
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<{ readonly address: string; readonly version: string } | null> {
  try {
    const choice = choiceOf({ provider: "auto", model: "", dimensions: 0, host: "" }, env)
    if (choice === null) return null
    const ollama = await openOllama(choice.address, { timeoutMs: ASK_TIMEOUT_MS, attempts: 1 })
    return { address: choice.address.shown, version: await ollama.version() }
  } catch (error) {
    if (error instanceof AmanError) return null
    throw error
  }
}

/** The server's state; includes a hint to install a model if no usable one is installed. */
async function askOllama(choice: Choice): Promise<Partial<EmbedderReport>> {
  const ollama = await openOllama(choice.address, { timeoutMs: ASK_TIMEOUT_MS, attempts: 1 })
  const installed = await ollama.installed()
  const isEnough = choice.model !== null || preferredOf(installed, null) !== null
  return {
    isReachable: true,
    version: await ollama.version(),
    installed: installed.map(({ name }) => name),
    failure: isEnough ? null : "none of its models is one that is taken by itself",
    hint: isEnough ? null : `run: ollama pull ${PREFERRED_MODELS[0]}`,
  }
}

async function askModel(choice: Choice): Promise<Partial<EmbedderReport>> {
  const ask = { timeoutMs: ASK_TIMEOUT_MS, attempts: 1 }
  const embed = { timeoutMs: LOAD_TIMEOUT_MS, attempts: 1 }
  const detected = await detectModel(choice, { ask, embed })
  if (detected === null) return {}
  const { dimensions } = detected.space
  return { isReachable: true, model: modelName(detected.space), dimensions }
}
