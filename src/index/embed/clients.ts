import { AmanError, isLoopback, readBounded } from "../../base/index.ts"
import { lineProgram } from "./line-program.ts"
import type { EmbedderChoice, ServiceAddress } from "./model.ts"

/**
 * Clients for the servers and programs that compute embeddings: Ollama, servers with OpenAI's API, and programs of the
 * user. Below them are the parts that they share: checking the vectors of an answer (`toUnitRows`), JSON requests with
 * time limit and retries (`jsonRequests`), and error messages that reveal neither the key nor the project's text.
 */

export type InstalledModel = {
  /** Name with tag: "nomic-embed-text:latest". */
  readonly name: string
  readonly digest: string
  readonly bytes: number
  /** True if the model runs on a remote machine, even if the server is local. */
  readonly isCloud: boolean
}

/** The function that clients for all kinds of embedders have. */
export type EmbeddingClient = {
  /** Requests vectors and returns the answer unchecked; `toUnitRows` checks it. */
  embed(model: string, texts: readonly string[], dimensions: number | null): Promise<unknown>
}

/** Opens a client for the server or program of a configured embedder. Sends nothing. */
export function openClient(
  { provider, address, maxMemoryBytes }: EmbedderChoice,
  policy: RetryPolicy,
): EmbeddingClient {
  switch (provider) {
    case "ollama":
      return openOllama(address, policy)
    case "openai":
      return openOpenAi(address, policy)
    case "program": {
      const program = lineProgram(address.url)
      const limits = {
        timeoutMs: policy.timeoutMs,
        maxMemoryBytes: maxMemoryBytes ?? Number.POSITIVE_INFINITY,
      }
      return {
        embed: async (model, texts, dimensions) =>
          (await program.ask({ op: "embed", model, texts, ...optional({ dimensions }) }, limits))["vectors"],
      }
    }
  }
}

type Ollama = EmbeddingClient & {
  version(): Promise<string>
  installed(): Promise<InstalledModel[]>
  /** Maximum number of tokens that the model reads; null if the server does not report it. */
  windowOf(model: string): Promise<number | null>
}

/** Client for Ollama (https://docs.ollama.com/api). */
export function openOllama({ url, shown }: ServiceAddress, policy: RetryPolicy): Ollama {
  const service = {
    name: `Ollama at ${shown}`,
    hint: "start it with: ollama serve",
    hintMissing: "see what is installed with: ollama list",
    secret: url.startsWith("https://ollama.com") ? process.env["OLLAMA_API_KEY"] : undefined,
  }
  const request = jsonRequests(service, policy)
  const ask = async (path: string, body?: object) => fieldsOf(await request(`${url}/api/${path}`, body))
  return {
    version: async () => String((await ask("version"))["version"] ?? ""),
    installed: async () => parseModels((await ask("tags"))["models"]),
    windowOf: async (model) => parseWindow((await ask("show", { model }))["model_info"]),
    embed: async (model, input, dimensions) =>
      (await ask("embed", { model, input, truncate: true, ...optional({ dimensions }) }))["embeddings"],
  }
}

function parseModels(models: unknown): InstalledModel[] {
  if (!Array.isArray(models)) return []
  return models.map(fieldsOf).flatMap((entry) => {
    const name = entry["name"] ?? entry["model"]
    if (typeof name !== "string") return []
    const isCloud = Boolean(entry["remote_host"] ?? entry["remote_model"])
    return [{ name, digest: String(entry["digest"] ?? ""), bytes: Number(entry["size"]) || 0, isCloud }]
  })
}

/** The window of the model in tokens. The key contains the name of the architecture: "nomic-bert.context_length". */
function parseWindow(modelInfo: unknown): number | null {
  const window = Object.entries(fieldsOf(modelInfo)).find(([key]) => key.endsWith(".context_length"))?.[1]
  return typeof window === "number" && window > 0 ? window : null
}

type Environment = Readonly<Record<string, string | undefined>>

/** Client for any server with the API of https://platform.openai.com/docs/api-reference/embeddings. */
export function openOpenAi(
  address: ServiceAddress,
  policy: RetryPolicy,
  env: Environment = process.env,
): EmbeddingClient {
  const service = {
    name: `the embedder at ${address.shown}`,
    hint: "check embeddings.host and embeddings.model",
    secret: keyFor(address, env),
  }
  const request = jsonRequests(service, policy)
  return {
    embed: async (model, input, dimensions) => {
      const body = { model, input, encoding_format: "float", ...optional({ dimensions }) }
      return vectorsByIndex(await request(endpoint(address.url, "embeddings"), body))
    },
  }
}

/** The key for a service, from the environment. OPENAI_API_KEY is never sent to another machine without encryption. */
export function keyFor({ url, isLoopback }: ServiceAddress, env: Environment): string | undefined {
  if (env["AMAN_OPENAI_API_KEY"]) return env["AMAN_OPENAI_API_KEY"]
  const isPrivate = isLoopback || url.startsWith("https:")
  return isPrivate ? env["OPENAI_API_KEY"] || undefined : undefined
}

/** The URL of an endpoint. Users configure the server, the folder of its API version, or the complete address. */
export function endpoint(url: string, name: "embeddings" | "rerank"): string {
  if (url.endsWith(`/${name}`)) return url
  return /\/v\d+[a-z]*$/.test(url) ? `${url}/${name}` : `${url}/v1/${name}`
}

function vectorsByIndex(answer: unknown): unknown {
  const { data } = fieldsOf(answer)
  if (!Array.isArray(data)) return undefined
  return data
    .map((entry, i) => ({ at: Number(fieldsOf(entry)["index"] ?? i), vector: fieldsOf(entry)["embedding"] }))
    .sort((a, b) => a.at - b.at)
    .map(({ vector }) => vector)
}

/** The fields of a JSON value; none if it is no object. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}
}

/** The fields of a request that have a value. */
export function optional(fields: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== ""))
}

/** Maximum of the setting embeddings.dimensions. A row of this many f16 numbers takes 16 KB. */
const MAX_DIMENSIONS = 8192

/**
 * Checks the vectors in a server's answer, scales them to length 1, and returns them row by row in one array. Throws
 * EMBEDDER if their number, dimensions or values are invalid.
 */
export function toUnitRows(answer: unknown, count: number, dimensions: number | null): Float32Array {
  if (!Array.isArray(answer) || answer.length !== count) {
    const received = Array.isArray(answer) ? `${answer.length} vectors` : "no vectors"
    throw invalidAnswer(`${received} for ${count} texts`)
  }
  const width = dimensions ?? (Array.isArray(answer[0]) ? answer[0].length : 0)
  if (width < 1 || width > MAX_DIMENSIONS) throw invalidAnswer(`vectors of ${width} dimensions`)
  const rows = new Float32Array(count * width)
  for (const [i, vector] of answer.entries()) writeUnitRow(vector, rows, i * width, width)
  return rows
}

function writeUnitRow(vector: unknown, out: Float32Array, at: number, width: number): void {
  if (!Array.isArray(vector)) throw invalidAnswer("a missing vector")
  if (vector.length !== width) throw invalidAnswer(`a vector of ${vector.length} dimensions, not ${width}`)
  let squares = 0
  for (const value of vector) {
    if (typeof value !== "number" || !Number.isFinite(value))
      throw invalidAnswer("a vector with a value that is not a number")
    squares += value * value
  }
  if (!(squares > 0) || !Number.isFinite(squares)) throw invalidAnswer("a vector of length zero")
  const scale = 1 / Math.sqrt(squares)
  for (let i = 0; i < width; i++) out[at + i] = vector[i] * scale
}

function invalidAnswer(what: string): AmanError {
  return new AmanError("EMBEDDER", `the embedder answered with ${what}`, {
    hint: "check with aman doctor that it is an embedding model",
  })
}

/** Time limit and number of attempts. */
export type RetryPolicy = {
  /** Time limit of one attempt in ms, including reading the body. */
  readonly timeoutMs: number
  readonly attempts: number
  readonly signal?: AbortSignal | undefined
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>
  /** Returns a number from 0 to 1. */
  readonly random?: () => number
}

type Service = {
  /** Name for messages, such as "Ollama at http://127.0.0.1:11434". */
  readonly name: string
  /** Hints for the user: `hint` if the service cannot be reached, `missing` if it does not have the model. */
  readonly hint: string
  readonly hintMissing?: string
  /** The key that is sent with requests. It is never displayed, even if the server repeats it in a message. */
  readonly secret?: string | undefined
}

type Attempt =
  | { readonly answer: unknown }
  | { readonly error: AmanError; readonly isTemporary: boolean; readonly waitMs: number | null }

const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 20_000
// Upper bound in ms for the wait that a server requests; a longer request is shortened to it.
const MAX_RETRY_AFTER_MS = 60_000
// Maximum size of an answer in bytes. It is enough for 256 vectors of 4,096 numbers as text; a larger answer is
// invalid.
const MAX_BYTES = 64 << 20

/**
 * Returns a function that sends a request (POST if there is a body, otherwise GET) and returns the JSON answer, or
 * throws EMBEDDER. Each attempt has a time limit. Temporary failures are retried after random waits whose range grows
 * exponentially. Redirects are not followed, because only the address that the user named may receive the texts. The
 * size of an answer is limited.
 */
export function jsonRequests(
  service: Service,
  policy: RetryPolicy,
): (url: string, body?: object) => Promise<unknown> {
  const { attempts, signal, sleep = wait, random = Math.random } = policy
  return async (url, body) => {
    const text = body === undefined ? null : JSON.stringify(body)
    for (let attempt = 1; ; attempt++) {
      const outcome = await attemptOnce(service, policy, url, text)
      if ("answer" in outcome) return outcome.answer
      if (!outcome.isTemporary || attempt >= attempts) throw outcome.error
      // "Full jitter": clients that failed together do not come back together.
      const ownWait = random() * Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1))
      await sleep(Math.max(ownWait, outcome.waitMs ?? 0), signal)
    }
  }
}

async function attemptOnce(
  service: Service,
  { timeoutMs, signal }: RetryPolicy,
  url: string,
  sent: string | null,
): Promise<Attempt> {
  if (signal?.aborted) throw interrupted(service)
  const limit = AbortSignal.timeout(timeoutMs)
  const either = signal === undefined ? limit : AbortSignal.any([limit, signal])
  const headers = {
    accept: "application/json",
    ...(sent === null ? {} : { "content-type": "application/json" }),
    ...(service.secret ? { authorization: `Bearer ${service.secret}` } : {}),
  }
  try {
    bypassProxies(url)
    const method = sent === null ? "GET" : "POST"
    const response = await fetch(url, { method, headers, body: sent, redirect: "error", signal: either })
    const body = await readBounded(response.body, MAX_BYTES)
    if (body === null)
      return embedderError(service, `sent an answer of more than ${MAX_BYTES >> 20} MiB`, null)
    const text = body.toString()
    if (!response.ok) return refusal(service, response, text, sent ?? "")
    try {
      return { answer: JSON.parse(text) as unknown }
    } catch {
      return embedderError(service, "sent an answer that is not JSON", null)
    }
  } catch (cause) {
    if (signal?.aborted) throw interrupted(service)
    const isTemporary = codeOf(cause) !== "UnexpectedRedirect"
    return { ...embedderError(service, describeFailure(cause, limit, timeoutMs), cause), isTemporary }
  }
}

function embedderError({ name, hint }: Service, what: string, cause: unknown) {
  const error = new AmanError("EMBEDDER", `${name} ${what}`, { hint, cause })
  return { error, isTemporary: true, waitMs: null }
}

/**
 * Excludes a local service from HTTP_PROXY. Bun sends plain HTTP through that proxy even if the service is on this
 * machine, so that another machine could read the requests. https://bun.sh/guides/http/proxy; NO_PROXY is read at every
 * request.
 */
function bypassProxies(url: string): void {
  const { hostname } = new URL(url)
  if (!isLoopback(hostname)) return
  for (const name of ["NO_PROXY", "no_proxy"]) {
    const listed = (process.env[name] ?? "").split(",").map((entry) => entry.trim())
    if (!listed.includes(hostname)) process.env[name] = [...listed.filter(Boolean), hostname].join(",")
  }
}

function refusal(service: Service, response: Response, body: string, sent: string): Attempt {
  const { status } = response
  const complaint = complaintOf(status, body, sent, service.secret)
  const error = new AmanError("EMBEDDER", `${service.name} ${complaint}`, {
    hint: hintFor(service, status),
  })
  return {
    error,
    isTemporary: status === 408 || status === 429 || status >= 500,
    waitMs: retryAfterMs(response),
  }
}

function hintFor({ hint, hintMissing = hint }: Service, status: number): string {
  if (status === 401 || status === 403) return "check the key in the environment: AMAN_OPENAI_API_KEY"
  return status === 404 ? hintMissing : hint
}

/**
 * The value of the header Retry-After in milliseconds; it may be given in seconds or as a date. Null without a valid
 * header.
 */
function retryAfterMs(response: Response): number | null {
  const header = response.headers.get("retry-after")
  if (header === null) return null
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), MAX_RETRY_AFTER_MS) : null
}

function describeFailure(cause: unknown, limit: AbortSignal, timeoutMs: number): string {
  if (limit.aborted) return `did not answer within ${timeoutMs / 1000} s`
  switch (codeOf(cause)) {
    case "ECONNREFUSED":
    case "ConnectionRefused":
      return "refused the connection"
    case "UnexpectedRedirect":
      return "answered with a redirect, which aman does not follow"
    case "ECONNRESET":
      return "closed the connection"
    default:
      return "could not be reached"
  }
}

function codeOf(cause: unknown): string {
  return String((cause as { code?: unknown } | null)?.code ?? "")
}

function interrupted({ name }: Service): AmanError {
  return new AmanError("INTERRUPTED", `interrupted while ${name} was embedding`)
}

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    signal?.addEventListener("abort", done)
    function done(): void {
      clearTimeout(timer)
      signal?.removeEventListener("abort", done)
      resolve()
    }
  })
}

/** If a message contains this many consecutive characters of the request, it counts as quoting the request. */
const MIN_QUOTED_LENGTH = 20

/**
 * A server's error message in one line: the status and the message. The message is left out if it quotes the key or the
 * request, because errors are logged and displayed, and the project's text must not be.
 */
export function complaintOf(status: number, body: string, sent: string, secret?: string): string {
  const words = serverMessage(body)
  const repeatsSecret = secret !== undefined && secret !== "" && words.includes(secret)
  const message = words === "" || repeatsSecret || quotes(words, sent) ? "" : `: ${words}`
  return `${STATUS_MESSAGES[status] ?? `answered with status ${status}`}${message}`
}

const STATUS_MESSAGES: Readonly<Record<number, string>> = {
  401: "requires a valid key (401)",
  403: "refuses access (403)",
  404: "does not know that model or address (404)",
  429: "refuses too many requests (429)",
}

/** The message in `{"error": "…"}` (Ollama) or `{"error": {"message": "…"}}` (OpenAI); "" if there is none. */
function serverMessage(body: string): string {
  try {
    const { error } = JSON.parse(body) as { error?: string | { message?: string } }
    const message = typeof error === "string" ? error : error?.message
    if (typeof message !== "string") return ""
    return message
      .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
      .trim()
      .slice(0, 160)
  } catch {
    return ""
  }
}

function quotes(words: string, sent: string): boolean {
  for (let at = 0; at + MIN_QUOTED_LENGTH <= words.length; at++) {
    if (sent.includes(words.slice(at, at + MIN_QUOTED_LENGTH))) return true
  }
  return false
}
