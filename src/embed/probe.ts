import { AmanError } from "../base/errors.ts"
import { type Choice, choiceOf, type EmbeddingSettings } from "./choice.ts"
import { detectModel, modelName, preferredOf } from "./detect.ts"
import { PREFERRED_MODELS } from "./models.ts"
import { openOllama } from "./ollama.ts"

/** How it stands with the embedder beside the built-in one. */
export type EmbedderReport = {
  readonly provider: "static" | "ollama" | "openai"
  /** Where it is asked; null where nobody is. */
  readonly address: string | null
  /** Nobody asked for it by name: where it is not there, nothing is amiss. */
  readonly isAutomatic: boolean
  readonly isReachable: boolean
  /** Of the server, where it says. */
  readonly version: string | null
  readonly installed: readonly string[]
  /** The model that would be used, with its dimensions. */
  readonly model: string | null
  readonly dimensions: number | null
  /** What is wrong, and what to do about it; null where nothing is. */
  readonly failure: string | null
  readonly hint: string | null
}

const ASK_TIMEOUT_MS = 2_000
const LOAD_TIMEOUT_MS = 60_000
const NOBODY: EmbedderReport = {
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

/** Asks the configured embedder everything that indexing would, one vector included. Throws for nothing it answers. */
export async function probeEmbedder(
  settings: EmbeddingSettings,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<EmbedderReport> {
  let report = NOBODY
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

/** With the command that gets a model, where none of those is there that are taken by themselves. */
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
