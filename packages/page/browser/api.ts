import { signal } from "@preact/signals"
import type { StatusAnswer } from "../../../src/base/answers.ts"
import { replaceRoute, route } from "./route.ts"

/** A failure that the server explains, in the form of every failure of the API. */
export class ApiError extends Error {
  readonly hint: string | undefined

  constructor(message: string, hint?: string) {
    super(message)
    this.hint = hint
  }
}

/** True on the page of a team's node: no project is open, and a person signs in with a token. */
export const isOfTeam = document.documentElement.dataset["place"] === "team"

export type ProjectFacts = {
  readonly root: string
  readonly name: string
  readonly editor: "vscode" | "cursor" | "zed" | "idea" | "none"
  readonly token_kinds: readonly string[]
  /** Names of the other repositories of the user. */
  readonly repositories: readonly string[]
  /** True if the user is logged in to a team's server. */
  readonly has_team: boolean
  /** Name of the person who has signed in; only on the page of a team's node. */
  readonly person?: string
}

/** State of the index and of the memory as the server's events tell it. */
export type LiveIndexState = Pick<StatusAnswer, "state" | "progress" | "files" | "pending" | "leader"> & {
  readonly version: number | null
  /**
   * Number of the memory's last event. It grows with each change, also by other processes; null until the memory has
   * been opened.
   */
  readonly memory: number | null
}

export const facts = signal<ProjectFacts | null>(null)
export const live = signal<LiveIndexState | null>(null)
/**
 * "refused": the server does not accept this tab, which did not open the link or opened that of a server that ended; or a
 * team's node does not accept the token.
 */
export const connection = signal<"open" | "lost" | "refused">("open")

const STORED = "aman-secret"

/**
 * Proves to the server that this tab opened its link, or is the token of a person who has signed in; "" if neither is so. It
 * is stored for reloads of this tab.
 * sessionStorage belongs to one tab and one port, unlike a cookie, which browsers send to every port of a host.
 */
let secret = tabStorage()?.getItem(STORED) ?? ""

/**
 * Exchanges the code of the link for the secret and removes the code from the address and the browser's history. Returns
 * false in a tab without a secret.
 */
export async function enter(): Promise<boolean> {
  if (route.value.page !== "open") return secret !== ""
  const code = route.value.query.get("code")
  replaceRoute("search", {})
  const response = await orUnreachable(post("session", { code }))
  if (!response.ok) return false
  secret = ((await response.json()) as { readonly secret: string }).secret
  tabStorage()?.setItem(STORED, secret)
  return true
}

/** Signs in to a team's node, by default with the token that this tab has stored, if there is one. Throws ApiError. */
export async function signIn(token = secret): Promise<void> {
  if (token === "") return
  // Other characters cannot be part of a header.
  if (!/^[!-~]+$/.test(token)) {
    connection.value = "refused"
    return
  }
  secret = token
  connection.value = "open"
  const known = await fetchJson<Pick<ProjectFacts, "token_kinds" | "repositories" | "person">>("project")
  tabStorage()?.setItem(STORED, token)
  facts.value = { root: "", name: location.host, editor: "none", has_team: false, ...known }
}

/** Forgets the token and all that was read with it. */
export function signOut(): void {
  secret = ""
  tabStorage()?.removeItem(STORED)
  facts.value = null
  connection.value = "open"
}

/** Null in a browser that is set to store nothing; a reload then needs a new link. */
function tabStorage(): Storage | null {
  try {
    return sessionStorage
  } catch {
    return null
  }
}

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
  const init: RequestInit = { ...(abort && { signal: abort }), headers: proof() }
  // Questions to a team's node are not part of the address, which a proxy in front of it may log.
  const response = isOfTeam
    ? fetch(`api/${path}`, { ...init, method: "POST", body: query })
    : fetch(`api/${path}?${query}`, init)
  return readResponse<T>(await orUnreachable(response))
}

/** Runs an action on the memory. */
export async function runAction<T>(body: object): Promise<T> {
  return readResponse<T>(await orUnreachable(post("memory", body)))
}

function post(path: string, body: object): Promise<Response> {
  const headers = { ...proof(), "content-type": "application/json" }
  return fetch(`api/${path}`, { method: "POST", headers, body: JSON.stringify(body) })
}

function proof(): Record<string, string> {
  return secret === "" ? {} : { authorization: `Bearer ${secret}` }
}

const RETRY_MS = 3000

/** Listens to the server's events, for as long as the page is open. EventSource cannot send the secret. */
export async function listen(): Promise<never> {
  for (;;) {
    await readEvents().catch(() => null)
    if (connection.value === "open") connection.value = "lost"
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  }
}

/** Reads the events of one connection until it ends; rejects if the server cannot be reached. */
async function readEvents(): Promise<void> {
  const response = await fetch("api/events", { headers: proof() })
  connection.value = response.status === 401 ? "refused" : "open"
  if (!response.ok || response.body === null) return
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let unread = ""
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    const events = (unread + value).split("\n\n")
    unread = events.pop()!
    for (const event of events)
      if (event.startsWith("data: ")) live.value = JSON.parse(event.slice("data: ".length)) as LiveIndexState
  }
}

/** The response; throws ApiError if the server cannot be reached. */
async function orUnreachable(response: Promise<Response>): Promise<Response> {
  try {
    return await response
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error
    if (isOfTeam) throw new ApiError("the team's server cannot be reached", "try again later")
    connection.value = "lost"
    throw new ApiError("aman cannot be reached", "start it again: aman ui")
  }
}

async function readResponse<T>(response: Response): Promise<T> {
  if (response.status === 401) {
    if (isOfTeam) signOut()
    connection.value = "refused"
  }
  const body = (await response.json()) as T & {
    readonly error?: { readonly message: string; readonly hint?: string }
  }
  if (response.ok) return body
  throw new ApiError(body.error?.message ?? "the request failed", body.error?.hint)
}
