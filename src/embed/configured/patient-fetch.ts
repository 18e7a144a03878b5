import { AmanError } from "../../base/errors.ts"
import { isLoopback } from "./address.ts"

/** Time limit and number of attempts. */
export type Patience = {
  /** Time limit of one attempt, including its body. */
  readonly timeoutMs: number
  readonly attempts: number
  readonly signal?: AbortSignal | undefined
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>
  /** Returns a number from 0 to 1. */
  readonly random?: () => number
}

export type Service = {
  /** "Ollama at http://127.0.0.1:11434" */
  readonly name: string
  /** Hints for the user: when the service cannot be reached, and when it does not have the model. */
  readonly remedy: string
  readonly remedyMissing?: string
  /** Never displayed, even if the server repeats it. */
  readonly secret?: string | undefined
}

type Attempt =
  | { readonly response: Response }
  | { readonly error: AmanError; readonly mayPass: boolean; readonly waitMs: number | null }

const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 20_000
// A server that requests a longer wait is tried again by the next run.
const MAX_RETRY_AFTER_MS = 60_000
// 256 vectors of 4,096 numbers as text; a larger answer is invalid.
const MAX_BYTES = 64 << 20

/**
 * A `fetch` that returns a complete JSON body or throws EMBEDDER. Each attempt has a time limit; temporary
 * failures are retried after random, exponentially growing waits. It follows no redirect, because only the
 * address the user named may see the texts, and limits the size of an answer.
 */
export function patientFetch(service: Service, patience: Patience): typeof fetch {
  const { attempts, signal, sleep = wait, random = Math.random } = patience
  const patient = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    for (let attempt = 1; ; attempt++) {
      const outcome = await attemptOnce(service, patience, String(url), init ?? {})
      if ("response" in outcome) return outcome.response
      if (!outcome.mayPass || attempt >= attempts) throw outcome.error
      // "Full jitter": clients that failed together do not come back together.
      const ownWait = random() * Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1))
      await sleep(Math.max(ownWait, outcome.waitMs ?? 0), signal)
    }
  }
  return patient as typeof fetch
}

async function attemptOnce(
  service: Service,
  { timeoutMs, signal }: Patience,
  url: string,
  init: RequestInit,
): Promise<Attempt> {
  if (signal?.aborted) throw interrupted(service)
  const limit = AbortSignal.timeout(timeoutMs)
  const either = signal === undefined ? limit : AbortSignal.any([limit, signal])
  try {
    stayOffProxies(url)
    const response = await fetch(url, { ...init, redirect: "error", signal: either })
    const body = await readWhole(response)
    const text = new TextDecoder().decode(body)
    if (!response.ok) return refused(service, response, text, String(init.body ?? ""))
    if (isJson(text)) return { response: new Response(text) }
    return failed(service, "answered with what is no JSON", null)
  } catch (cause) {
    if (signal?.aborted) throw interrupted(service)
    const mayPass = codeOf(cause) !== "UnexpectedRedirect"
    return { ...failed(service, whatHappened(cause, limit, timeoutMs), cause), mayPass }
  }
}

function failed({ name, remedy }: Service, what: string, cause: unknown) {
  const error = new AmanError("EMBEDDER", `${name} ${what}`, { hint: remedy, cause })
  return { error, mayPass: true, waitMs: null }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/**
 * Bun sends plain HTTP through HTTP_PROXY even to this machine, so that another machine could read local
 * requests. https://bun.sh/guides/http/proxy; NO_PROXY is read at every request.
 */
function stayOffProxies(url: string): void {
  const { hostname } = new URL(url)
  if (!isLoopback(hostname)) return
  for (const name of ["NO_PROXY", "no_proxy"]) {
    const listed = (process.env[name] ?? "").split(",").map((entry) => entry.trim())
    if (!listed.includes(hostname)) process.env[name] = [...listed.filter(Boolean), hostname].join(",")
  }
}

async function readWhole(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body ?? []) {
    size += part.length
    if (size > MAX_BYTES) throw new Error("answered with more than an answer can have")
    parts.push(part)
  }
  return Buffer.concat(parts)
}

function refused(service: Service, response: Response, body: string, sent: string): Attempt {
  const { status } = response
  const complaint = complaintOf(status, body, sent, service.secret)
  const error = new AmanError("EMBEDDER", `${service.name} ${complaint}`, {
    hint: remedyFor(service, status),
  })
  return { error, mayPass: status === 408 || status === 429 || status >= 500, waitMs: askedWait(response) }
}

function remedyFor({ remedy, remedyMissing = remedy }: Service, status: number): string {
  if (status === 401 || status === 403) return "check the key in the environment: AMAN_OPENAI_API_KEY"
  return status === 404 ? remedyMissing : remedy
}

/** Milliseconds of Retry-After, given in seconds or as a date; null without a valid header. */
function askedWait(response: Response): number | null {
  const header = response.headers.get("retry-after")
  if (header === null) return null
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), MAX_RETRY_AFTER_MS) : null
}

function whatHappened(cause: unknown, limit: AbortSignal, timeoutMs: number): string {
  if (limit.aborted) return `did not answer within ${timeoutMs / 1000} s`
  switch (codeOf(cause)) {
    case "ECONNREFUSED":
    case "ConnectionRefused":
      return "refused the connection"
    case "UnexpectedRedirect":
      return "sent us to another address, which is not followed"
    case "ECONNRESET":
      return "broke off the connection"
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

const MAX_COMPLAINT_LENGTH = 160
/** This many consecutive characters from the request count as a quotation of it. */
const MIN_QUOTED_LENGTH = 20

/**
 * A server's complaint about a request, in one line: the status, and the server's message unless it quotes
 * the key or the request, because errors are logged and displayed, and project text must not be.
 */
export function complaintOf(status: number, body: string, sent: string, secret?: string): string {
  const words = wordsOf(body)
  const isOurs = secret !== undefined && secret !== "" && words.includes(secret)
  const message = words === "" || isOurs || quotes(words, sent) ? "" : `: ${words}`
  return `${WHAT[status] ?? `answered with status ${status}`}${message}`
}

const WHAT: Readonly<Record<number, string>> = {
  401: "wants a key, or another one (401)",
  403: "forbids it (403)",
  404: "does not have that model or address (404)",
  429: "is asked too often (429)",
}

/** The message in `{"error": "…"}` (Ollama) or `{"error": {"message": "…"}}` (OpenAI); "" without one. */
function wordsOf(body: string): string {
  try {
    const { error } = JSON.parse(body) as { error?: string | { message?: string } }
    const message = typeof error === "string" ? error : error?.message
    if (typeof message !== "string") return ""
    return message
      .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
      .trim()
      .slice(0, MAX_COMPLAINT_LENGTH)
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
