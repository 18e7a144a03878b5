import { AmanError } from "../base/errors.ts"
import { isLoopback } from "./address.ts"
import { complaintOf } from "./complaint.ts"

/** How long and how often to try. */
export type Patience = {
  /** For one attempt, its body included. */
  readonly timeoutMs: number
  readonly attempts: number
  readonly signal?: AbortSignal | undefined
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>
  /** 0 to 1. */
  readonly random?: () => number
}

export type Service = {
  /** "Ollama at http://127.0.0.1:11434" */
  readonly name: string
  /** What to do when it cannot be reached, and when it lacks the model. */
  readonly remedy: string
  readonly remedyMissing?: string
  /** Never shown, though the server should repeat it. */
  readonly secret?: string | undefined
}

type Attempt =
  | { readonly response: Response }
  | { readonly error: AmanError; readonly mayPass: boolean; readonly waitMs: number | null }

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 20_000
// A server that asks for more is better left alone until the next run.
const LONGEST_ASKED_WAIT_MS = 60_000
// 256 vectors of 4,096 numbers as text; more than that is no answer of an embedder.
const MOST_BYTES = 64 << 20

/**
 * A `fetch` that answers with a whole body of JSON or throws EMBEDDER: it gives each attempt a time limit, tries again
 * what may pass with exponentially growing, random waits, follows no redirect (the user named one address, and only it
 * may see what is sent), and reads no more than an answer can have.
 */
export function patientFetch(service: Service, patience: Patience): typeof fetch {
  const { attempts, signal, sleep = wait, random = Math.random } = patience
  const patient = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    for (let attempt = 1; ; attempt++) {
      const outcome = await attemptOnce(service, patience, String(url), init ?? {})
      if ("response" in outcome) return outcome.response
      if (!outcome.mayPass || attempt >= attempts) throw outcome.error
      // "Full jitter": clients that failed together do not come back together.
      const ownWait = random() * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1))
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
 * Bun sends plain HTTP through HTTP_PROXY even to this machine: then another one would read what was to stay here.
 * https://bun.sh/guides/http/proxy; NO_PROXY is read at every request.
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
    if (size > MOST_BYTES) throw new Error("answered with more than an answer can have")
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

/** Retry-After in seconds or as a date. */
function askedWait(response: Response): number | null {
  const header = response.headers.get("retry-after")
  if (header === null) return null
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), LONGEST_ASKED_WAIT_MS) : null
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
