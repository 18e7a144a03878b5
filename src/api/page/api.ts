import { signal } from "@preact/signals"

/** A failure that the server explains, in the form of every failure of the API. */
export class ApiError extends Error {
  readonly hint: string | undefined

  constructor(message: string, hint?: string) {
    super(message)
    this.hint = hint
  }
}

export type ProjectFacts = {
  readonly version: string
  readonly root: string
  readonly name: string
  readonly editor: "vscode" | "cursor" | "zed" | "idea" | "none"
  readonly token_kinds: readonly string[]
}

/** State of the index and of the memory as the server's events tell it. */
export type LiveIndexState = {
  readonly state: "missing" | "indexing" | "ready"
  readonly progress: { readonly phase: string; readonly done: number; readonly total: number } | null
  readonly files: number
  readonly pending: number | null
  readonly leader: string
  readonly version: number | null
  /**
   * Number of the memory's last event. It grows with each change, also by other processes; null until the memory has
   * been opened.
   */
  readonly memory: number | null
}

export const facts = signal<ProjectFacts | null>(null)
export const live = signal<LiveIndexState | null>(null)
/** "refused": the server no longer accepts the page's cookie, as after a restart. */
export const connection = signal<"open" | "lost" | "refused">("open")

type Parameter = string | number | readonly string[] | undefined

/** Asks the server; throws ApiError with the server's reason, or when it cannot be reached. */
export async function fetchJson<T>(
  path: string,
  parameters: Readonly<Record<string, Parameter>> = {},
  abort?: AbortSignal,
): Promise<T> {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters))
    for (const each of [value ?? []].flat()) if (each !== "") query.append(name, String(each))
  const init: RequestInit = abort === undefined ? {} : { signal: abort }
  return readResponse<T>(await orUnreachable(fetch(`/api/${path}?${query}`, init)))
}

/** Runs an action on the memory. */
export async function runAction<T>(body: object): Promise<T> {
  const headers = { "content-type": "application/json" }
  return readResponse<T>(
    await orUnreachable(fetch("/api/memory", { method: "POST", headers, body: JSON.stringify(body) })),
  )
}

/** Listens to the server's events, for as long as the page is open. */
export function listen(): void {
  const events = new EventSource("/api/events")
  events.onopen = () => {
    connection.value = "open"
  }
  events.onmessage = ({ data }) => {
    live.value = JSON.parse(data) as LiveIndexState
  }
  events.onerror = () => {
    // The browser tries again by itself unless the server has answered with a refusal.
    connection.value = events.readyState === EventSource.CLOSED ? "refused" : "lost"
    if (events.readyState === EventSource.CLOSED) setTimeout(listen, RETRY_MS)
  }
}

const RETRY_MS = 5000

/** The response; throws ApiError if the server cannot be reached. */
async function orUnreachable(response: Promise<Response>): Promise<Response> {
  try {
    return await response
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error
    connection.value = "lost"
    throw new ApiError("aman cannot be reached", "start it again: aman ui")
  }
}

async function readResponse<T>(response: Response): Promise<T> {
  if (response.status === 401) connection.value = "refused"
  const body = (await response.json()) as T & {
    readonly error?: { readonly message: string; readonly hint?: string }
  }
  if (response.ok) return body
  throw new ApiError(body.error?.message ?? "the request failed", body.error?.hint)
}
