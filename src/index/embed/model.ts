import { AmanError, type Config, isLoopback, sha256 } from "../../base/index.ts"
import { type InstalledModel, openClient, openOllama, type RetryPolicy, toUnitRows } from "./clients.ts"
import { programName } from "./line-program.ts"
import type { EmbeddingSpace } from "./port.ts"

/** A model that was found at the configured address. */
export type DetectedModel = { readonly space: EmbeddingSpace; readonly windowTokens: number }

/**
 * Must be raised when the preparation of texts (prompts, truncation) changes, because the vectors then belong to
 * another space.
 */
const PREPARATION_VERSION = 1
/**
 * Window in tokens of OpenAI's models, used if a server does not report its window. Servers truncate or refuse longer
 * texts.
 */
const USUAL_WINDOW_TOKENS = 8192
const DIGEST_DIGITS = 12
const SAMPLE = "aman"

/**
 * Time limits and attempts: `ask` for requests that a server answers at once; `embed` for requests before whose answer
 * it may have to load a model.
 */
export type DetectPolicies = { readonly ask: RetryPolicy; readonly embed: RetryPolicy }

/** Time limit in ms of requests that load no model, such as which models are installed. */
const ASK_TIMEOUT_MS = 2_000
/** Time limit in ms for a batch of texts, before which the server may have to load the model. */
const EMBED_TIMEOUT_MS = 120_000

/** How long a run that embeds waits for the server: to find the model, and for each batch. */
export function embedPolicies(
  signal: AbortSignal | undefined,
): DetectPolicies & { readonly batch: RetryPolicy } {
  const embed = { timeoutMs: EMBED_TIMEOUT_MS, attempts: 1, signal }
  return { ask: { ...embed, timeoutMs: ASK_TIMEOUT_MS }, embed, batch: { ...embed, attempts: 4 } }
}

/**
 * Determines the model and its dimensions. Null if the user named no model and no preferred model is installed.
 * `present` is the space of the existing vectors; if no model is named, its model stays in use while it is installed.
 */
export async function detectModel(
  choice: EmbedderChoice,
  policies: DetectPolicies,
  present: EmbeddingSpace | null = null,
): Promise<DetectedModel | null> {
  const existing = present?.provider === choice.provider ? present : null
  const own = await ownModel(choice, policies, existing)
  if (own === null) return null
  const space = { provider: choice.provider, model: own.model, version: PREPARATION_VERSION }
  const dimensions = await dimensionsOf(own.name, choice, policies.embed, space, existing)
  return {
    space: { ...space, dimensions },
    windowTokens: (await own.windowTokens?.()) ?? USUAL_WINDOW_TOKENS,
  }
}

/** A model's name for requests, its name in the space, and how its window is determined if the server reports it. */
type OwnModel = {
  readonly name: string
  readonly model: string
  readonly windowTokens?: () => Promise<number | null>
}

/**
 * The name of a space's model for requests and for display. In the space itself, a digest or host is added to the name,
 * to distinguish models of the same name.
 */
export function modelName(space: Pick<EmbeddingSpace, "model">): string {
  return space.model.split("@")[0]!
}

async function ollamaModel(
  choice: EmbedderChoice,
  policies: DetectPolicies,
  present: EmbeddingSpace | null,
): Promise<OwnModel | null> {
  const ollama = openOllama(choice.address, policies.ask)
  const installed = await ollama.installed()
  const current = present === null ? null : modelName(present)
  const model = choice.model === null ? preferredOf(installed, current) : installedAs(installed, choice.model)
  if (model === null) {
    if (choice.isAutomatic && choice.model === null) return null
    throw missingModel(choice)
  }
  const digest = model.digest.replace(/^sha256:/, "").slice(0, DIGEST_DIGITS)
  const { name } = model
  return { name, model: `${name}@${digest}`, windowTokens: () => windowOf(ollama, name) }
}

/**
 * The model of the configured embedder; null if Ollama has none. A server with OpenAI's API, or the hash of a program's
 * command, is part of the name in the space, because another server or program may give other vectors for the same name.
 */
async function ownModel(
  choice: EmbedderChoice,
  policies: DetectPolicies,
  existing: EmbeddingSpace | null,
): Promise<OwnModel | null> {
  const name = choice.model ?? choice.address.shown
  switch (choice.provider) {
    case "ollama":
      return ollamaModel(choice, policies, existing)
    case "openai":
      return { name, model: `${name}@${new URL(choice.address.url).host}` }
    case "program":
      return { name, model: `${name.replaceAll("@", "-")}@${programDigest(choice)}` }
  }
}

/** The hash of a program's command, by which the space of its vectors is recognized. */
export function programDigest({ address }: EmbedderChoice): string {
  return sha256(address.url).slice(0, DIGEST_DIGITS)
}

/**
 * The number of dimensions, from the length of a first vector. An existing space with the same model has it already,
 * which avoids loading the model.
 */
async function dimensionsOf(
  model: string,
  choice: EmbedderChoice,
  policy: RetryPolicy,
  space: Omit<EmbeddingSpace, "dimensions">,
  present: EmbeddingSpace | null,
): Promise<number> {
  const isKnown = present?.model === space.model && present.version === space.version
  if (isKnown && (choice.dimensions ?? present.dimensions) === present.dimensions) return present.dimensions
  const client = openClient(choice, policy)
  return toUnitRows(await client.embed(model, [SAMPLE], choice.dimensions), 1, choice.dimensions).length
}

/** The window of the model in tokens; null if the server does not report it, as old versions do. */
async function windowOf(ollama: ReturnType<typeof openOllama>, model: string): Promise<number | null> {
  try {
    return await ollama.windowOf(model)
  } catch (error) {
    if (error instanceof AmanError && error.code === "INTERRUPTED") throw error
    return null
  }
}

/**
 * The model to use if the user named none. `present`, the model in use, stays if it is of a preferred family. Otherwise
 * the smallest installed model of the best family, because a large one is slow and the user did not ask for it.
 */
export function preferredOf(
  installed: readonly InstalledModel[],
  present: string | null,
): InstalledModel | null {
  const local = installed.filter((model) => !model.isCloud)
  const current = local.find((model) => model.name === present)
  if (current !== undefined && PREFERRED_MODELS.some((family) => familyOf(current.name) === family))
    return current
  for (const family of PREFERRED_MODELS) {
    const sizes = local.filter((model) => familyOf(model.name) === family)
    if (sizes.length > 0)
      return sizes.reduce((smallest, model) => (model.bytes < smallest.bytes ? model : smallest))
  }
  return null
}

function installedAs(installed: readonly InstalledModel[], name: string): InstalledModel | null {
  const tagged = name.includes(":") ? name : `${name}:latest`
  return installed.find((model) => model.name === name || model.name === tagged) ?? null
}

function missingModel({ address, model }: EmbedderChoice): AmanError {
  const suggested = model ?? PREFERRED_MODELS[0]
  const what = model === null ? "none of the models that aman selects by itself" : `no model ${model}`
  return new AmanError("EMBEDDER", `Ollama at ${address.shown} has ${what}`, {
    hint: `run: ollama pull ${suggested}`,
  })
}

/** The state of the configured embedder, for display. */
export type EmbedderReport = {
  readonly provider: "static" | "ollama" | "openai" | "program"
  /** The address of the embedder; null if none is configured. */
  readonly address: string | null
  /** True if the user did not name the embedder, so that it is no error if it is missing. */
  readonly isAutomatic: boolean
  readonly isReachable: boolean
  /** The version of the server; null if it is unknown. */
  readonly version: string | null
  readonly installed: readonly string[]
  /** The model that is used, with its dimensions. */
  readonly model: string | null
  readonly dimensions: number | null
  /** The failure, and what the user can do; null if there is none. */
  readonly failure: string | null
  readonly hint: string | null
}

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
 * Sends the configured embedder every kind of request that indexing sends, including one text. Failures are returned in
 * the report and not thrown.
 */
export async function probeEmbedder(
  settings: EmbeddingSettings,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<EmbedderReport> {
  let report = NOT_CONFIGURED
  try {
    const choice = embedderChoice(settings, env)
    if (choice === null) return report
    const { provider, address, isAutomatic } = choice
    report = { ...report, provider, address: address.shown, isAutomatic }
    if (provider === "ollama") report = { ...report, ...(await probeOllama(choice)) }
    return report.hint === null ? { ...report, ...(await probeModel(choice)) } : report
  } catch (error) {
    if (!(error instanceof AmanError)) throw error
    return { ...report, failure: error.message, hint: error.hint ?? null }
  }
}

/**
 * Address and version of an Ollama on this machine that the user has not configured; null if there is none. Only the
 * version is requested; no text is sent.
 */
export async function unusedOllama(
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<{ readonly address: string; readonly version: string } | null> {
  try {
    const choice = embedderChoice({ provider: "auto", model: "", dimensions: 0, host: "" }, env)
    if (choice === null) return null
    const ollama = openOllama(choice.address, { timeoutMs: ASK_TIMEOUT_MS, attempts: 1 })
    return { address: choice.address.shown, version: await ollama.version() }
  } catch (error) {
    if (error instanceof AmanError) return null
    throw error
  }
}

/** The state of an Ollama server. If no usable model is installed, the report contains a hint to install one. */
async function probeOllama(choice: EmbedderChoice): Promise<Partial<EmbedderReport>> {
  const ollama = openOllama(choice.address, { timeoutMs: ASK_TIMEOUT_MS, attempts: 1 })
  const installed = await ollama.installed()
  const hasUsableModel = choice.model !== null || preferredOf(installed, null) !== null
  return {
    isReachable: true,
    version: await ollama.version(),
    installed: installed.map(({ name }) => name),
    failure: hasUsableModel ? null : "none of its models is one that aman selects by itself",
    hint: hasUsableModel ? null : `run: ollama pull ${PREFERRED_MODELS[0]}`,
  }
}

async function probeModel(choice: EmbedderChoice): Promise<Partial<EmbedderReport>> {
  const ask = { timeoutMs: ASK_TIMEOUT_MS, attempts: 1 }
  const embed = { timeoutMs: LOAD_TIMEOUT_MS, attempts: 1 }
  const detected = await detectModel(choice, { ask, embed })
  if (detected === null) return {}
  const { dimensions } = detected.space
  return { isReachable: true, model: modelName(detected.space), dimensions }
}

/** Prefixes that a model expects before a text, according to its model card. Ollama does not add them. */
type Prompts = { readonly query: string; readonly document: string }

/** The models that are used automatically if they are installed, best first. */
export const PREFERRED_MODELS = ["qwen3-embedding", "nomic-embed-text", "embeddinggemma", "bge-m3"] as const

const NO_PROMPTS: Prompts = { query: "", document: "" }
const PASSAGES = "Represent this sentence for searching relevant passages: "

/** Prompts by the beginning of the model's name. The first entry that matches is used. */
const PROMPTS: readonly (readonly [string, Prompts])[] = [
  // https://huggingface.co/Qwen/Qwen3-Embedding-0.6B: an instruction before queries, nothing before documents.
  [
    "qwen3-embedding",
    {
      query:
        "Instruct: Given a question about a project, retrieve the source code or documentation that answers it\nQuery: ",
      document: "",
    },
  ],
  // https://huggingface.co/nomic-ai/nomic-embed-code
  ["nomic-embed-code", { query: "Represent this query for searching relevant code: ", document: "" }],
  // https://huggingface.co/nomic-ai/nomic-embed-text-v1.5, -v2-moe
  ["nomic-embed-text", { query: "search_query: ", document: "search_document: " }],
  // https://ai.google.dev/gemma/docs/embeddinggemma/model_card
  ["embeddinggemma", { query: "task: code retrieval | query: ", document: "title: none | text: " }],
  // https://huggingface.co/mixedbread-ai/mxbai-embed-large-v1
  ["mxbai-embed", { query: PASSAGES, document: "" }],
  // https://huggingface.co/Snowflake/snowflake-arctic-embed-l-v2.0, and the first version
  ["snowflake-arctic-embed2", { query: "query: ", document: "" }],
  ["snowflake-arctic-embed", { query: PASSAGES, document: "" }],
  // https://huggingface.co/BAAI/bge-m3: no prompt. The earlier English models have one.
  ["bge-m3", NO_PROMPTS],
  ["bge-", { query: PASSAGES, document: "" }],
  // https://huggingface.co/intfloat/multilingual-e5-large
  ["multilingual-e5", { query: "query: ", document: "passage: " }],
  ["e5-", { query: "query: ", document: "passage: " }],
]

/** The model's name without user and tag: "nomic-embed-text" for "user/nomic-embed-text:v1.5". */
function familyOf(model: string): string {
  return model.toLowerCase().split("/").at(-1)!.split(":")[0]!
}

export function promptsOf(model: string): Prompts {
  const family = familyOf(model)
  return PROMPTS.find(([beginning]) => family.startsWith(beginning))?.[1] ?? NO_PROMPTS
}

export type EmbeddingSettings = Pick<Config["embeddings"], "provider" | "model" | "dimensions" | "host"> &
  Partial<Pick<Config["embeddings"], "program" | "programMemoryBytes">>

/** The embedder that the user has configured, and its address. */
export type EmbedderChoice = {
  readonly provider: "ollama" | "openai" | "program"
  readonly address: ServiceAddress
  /** Name of the model; null for the best preferred model that is installed. */
  readonly model: string | null
  readonly dimensions: number | null
  /** True for `provider: auto`. It is then no error if Ollama is missing. */
  readonly isAutomatic: boolean
  /** Maximum memory of a program in bytes; null for a server. */
  readonly maxMemoryBytes: number | null
}

/**
 * The embedder that the user has configured; null if only the built-in one is used. By default there is none, because
 * any process can listen at Ollama's address, and OLLAMA_HOST may come from the shell settings of a project. `auto`
 * uses only a server on this machine. A server elsewhere must be named by embeddings.host, or by OLLAMA_HOST together
 * with `provider: ollama`. This function sends nothing.
 */
export function embedderChoice(
  { provider, model, dimensions: configured, host, program = "", programMemoryBytes = 0 }: EmbeddingSettings,
  env: Readonly<Record<string, string | undefined>> = process.env,
): EmbedderChoice | null {
  const shared = {
    model: model || null,
    dimensions: configured === 0 ? null : configured,
    isAutomatic: provider === "auto",
    maxMemoryBytes: null,
  }
  switch (provider) {
    case "static":
      return null
    case "openai":
      return { ...shared, provider, address: namedAddress(host), model: requiredModel(model) }
    case "program":
      return { ...shared, provider, address: programAddress(program), maxMemoryBytes: programMemoryBytes }
    case "ollama":
    case "auto": {
      const address =
        host === ""
          ? parseAddress(env["OLLAMA_HOST"] ?? "", "OLLAMA_HOST")
          : parseAddress(host, "embeddings.host")
      if (shared.isAutomatic && host === "" && !address.isLoopback) return null
      return { ...shared, provider: "ollama", address }
    }
  }
}

function namedAddress(host: string): ServiceAddress {
  if (host.includes("://")) return parseAddress(host, "embeddings.host")
  throw new AmanError("USAGE", "the openai embedder needs an address in embeddings.host", {
    hint: "for example https://api.openai.com/v1 (what is indexed is sent there)",
  })
}

/** The address of a program: its command takes the place of the URL, and the name of its file is displayed. */
function programAddress(program: string): ServiceAddress {
  const name = programName(program)
  if (name !== "") return { url: program, shown: name, isLoopback: true }
  throw new AmanError("USAGE", "the embedder's program is missing in embeddings.program", {
    hint: "for example: aman config set embeddings.program '/usr/local/bin/embed --fast'",
  })
}

function requiredModel(model: string): string {
  if (model !== "") return model
  throw new AmanError("USAGE", "the openai embedder needs embeddings.model", {
    hint: "for example text-embedding-3-small",
  })
}

/** The address of an embedding service. */
export type ServiceAddress = {
  /** The address as a URL without a trailing slash. */
  readonly url: string
  /** The URL for display, without user name and password. */
  readonly shown: string
  /** True if the service is on this machine, so that texts sent to it do not leave the machine. */
  readonly isLoopback: boolean
}

const DEFAULT_PORT = "11434"
const HOST_NAME = /^(?:[\w.-]+|\[[\da-f:.]+\])$/

/**
 * Parses an address in any form that Ollama accepts in OLLAMA_HOST: empty, "host", "host:port", ":port", "[::1]" or a
 * URL, with or without quotes. An address for listening on all interfaces (0.0.0.0, ::) means this machine for a
 * client. As in https://github.com/ollama/ollama/blob/main/envconfig/config.go, the default port is 11434 without a
 * scheme, otherwise that of the scheme.
 */
export function parseAddress(written: string, name: string): ServiceAddress {
  const text = written.trim().replace(/^["']+|["']+$/g, "")
  const [scheme, rest] = text.includes("://") ? cut(text, "://") : ["http", text]
  const [authority, path] = cut(rest, "/")
  const at = authority.lastIndexOf("@")
  const [user, place] = [authority.slice(0, at + 1), authority.slice(at + 1)]
  const port = text.includes("://") ? "" : `:${DEFAULT_PORT}`
  const url = tryUrl(`${scheme}://${user}${withHost(place, port)}/${path}`)
  if (url === null || !/^https?:$/.test(url.protocol) || !HOST_NAME.test(url.hostname)) {
    throw new AmanError("USAGE", `${name} is not the address of a server`, {
      hint: "write it as http://127.0.0.1:11434",
    })
  }
  url.search = ""
  url.hash = ""
  const isAnywhere = url.hostname === "0.0.0.0" || url.hostname === "[::]"
  if (isAnywhere) url.hostname = "127.0.0.1"
  const full = url.href.replace(/\/+$/, "")
  url.username = ""
  url.password = ""
  return { url: full, shown: url.href.replace(/\/+$/, ""), isLoopback: isLoopback(url.hostname) }
}

/** "[::1]", "::1", "host", ":8080" or "", completed by the default host or port. */
function withHost(place: string, port: string): string {
  if (place === "") return `127.0.0.1${port}`
  if (place.startsWith(":") && !place.startsWith("::")) return `127.0.0.1${place}`
  const isBareV6 = !place.startsWith("[") && place.split(":").length > 2
  if (isBareV6) return `[${place}]${port}`
  return /:\d+$/.test(place) ? place : place + port
}

function cut(text: string, at: string): [string, string] {
  const index = text.indexOf(at)
  return index < 0 ? [text, ""] : [text.slice(0, index), text.slice(index + at.length)]
}

function tryUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null
}
