/*
 * The client of a team's server: stores the login, and sends requests with its token. Every method of `TeamClient` is
 * one request of the server's JSON interface (docs/team.md).
 */

import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import {
  AmanError,
  type ErrorCode,
  isLoopback,
  readBounded,
  replaceFile,
  sha256,
  userConfigDir,
} from "../../base/index.ts"
import { remoteOf, type WorkTree } from "../../tree/index.ts"
import { hasAnswerShape } from "./answer-shapes.ts"
import {
  ALL,
  bodyOf,
  type PullAnswer,
  type PushAnswer,
  type PushedEntry,
  type ReadableRepository,
  TEAM_PREFIX,
} from "./wire.ts"

/** The team's server cannot be reached, or does not answer in time. */
export class TeamUnreachable extends AmanError {
  constructor(message: string, cause?: unknown) {
    super("TEAM", message, { hint: "what is on this machine works without it; leave out --team", cause })
  }
}

/** A team server and the token for it, as `aman team login` stored them. */
export type TeamLogin = {
  readonly url: string
  readonly token: string
  /** The server's signing key when the user logged in; absent: its indexes are not taken. */
  readonly key?: string | undefined
}

/**
 * What the server offers of a repository: the facts by which a client decides whether to take its index, and their
 * signature by the server's key (Ed25519, base64url).
 */
export type RevisionOffer = {
  readonly repository: string
  readonly commit: string
  /** Hash of the manifest's blob. */
  readonly manifest: string
  readonly index_version: number
  /** Settings that determine the content of the index. */
  readonly shape: string
  readonly signature: string
}

export type TeamServerStatus = {
  readonly version: string
  readonly principal: string
  /** The key with which the server signs revisions. */
  readonly key: string
  readonly repositories: number
}

const TIMEOUT_MS = 60_000
/** Max bytes of an answer: results with their texts, or a file of at most 8 MiB with its escapes. */
const MAX_ANSWER_BYTES = 32 << 20
const MAX_ERROR_BYTES = 64 << 10
/** Max bytes of a blob: a block of an index has half a megabyte, the list of a revision's blobs 67 bytes for each. */
const MAX_BLOB_BYTES = 16 << 20
/** If a request has no answer after this time, the server is asked whether it answers at all. */
const PROBE_AFTER_MS = 1000
/** Time in which it has to answer that; otherwise the request fails. */
const PROBE_MS = 3000

/** The login of AMAN_TEAM_URL, AMAN_TEAM_TOKEN and AMAN_TEAM_KEY, or the stored one; throws TEAM if there is none. */
export function teamLogin(env: Readonly<Record<string, string | undefined>> = process.env): TeamLogin {
  const { AMAN_TEAM_URL: url, AMAN_TEAM_TOKEN: token, AMAN_TEAM_KEY: key } = env
  if (url !== undefined && token !== undefined) return { url: checkUrl(url), token, key }
  const stored = storedLogin()
  if (url !== undefined && stored?.url !== checkUrl(url))
    throw new AmanError("TEAM", "AMAN_TEAM_URL is set without AMAN_TEAM_TOKEN", {
      hint: "set both, or unset it and run: aman team login URL",
    })
  if (stored !== null) return stored
  throw new AmanError("TEAM", "you are not logged in to a team server", {
    hint: "run: aman team login URL; or set AMAN_TEAM_URL and AMAN_TEAM_TOKEN",
  })
}

/** True if there is a login, so that `teamLogin` does not throw. */
export function isLoggedIn({ AMAN_TEAM_URL, AMAN_TEAM_TOKEN } = process.env): boolean {
  if (AMAN_TEAM_URL !== undefined && AMAN_TEAM_TOKEN !== undefined) return true
  return userConfigDir() !== null && existsSync(loginFile())
}

/**
 * Checks the token with the server, and stores both and the server's signing key, readable by the user alone.
 * `beforeStoring` is called once the server has accepted the token. Throws TEAM if the key differs from the one of an
 * earlier login to the same server.
 */
export async function logIn(
  url: string,
  typed: string,
  beforeStoring: () => void = () => {},
): Promise<TeamServerStatus> {
  const login = { url: checkUrl(url), token: typed.trim() }
  if (login.token === "")
    throw new AmanError("USAGE", "no token given", {
      hint: "aman team login reads it from stdin; an administrator makes one with: aman team token PERSON",
    })
  const status = await new TeamClient(login).status().catch((error: unknown) => {
    if (!(error instanceof TeamUnreachable)) throw error
    throw new AmanError("TEAM", error.message, { hint: "check the address", cause: error })
  })
  const known = storedLogin()
  if (known?.url === login.url && known.key !== undefined && known.key !== status.key)
    throw changedKey(login.url, known.key, status.key)
  beforeStoring()
  mkdirSync(dirname(loginFile()), { recursive: true, mode: 0o700 })
  replaceFile(loginFile(), JSON.stringify({ ...login, key: status.key }))
  return status
}

/** Says that the server has another signing key than the one that the user accepted. */
export function changedKey(url: string, known: string, found: string): AmanError {
  const [before, now] = [fingerprint(known), fingerprint(found)]
  return new AmanError("TEAM", `the signing key of the team server ${url} was ${before} and is now ${now}`, {
    hint: "ask its administrator; if the new key is right: aman team logout, then aman team login",
  })
}

/** The stored login; null if there is none or it is damaged. */
function storedLogin(): TeamLogin | null {
  try {
    const found = JSON.parse(readFileSync(loginFile(), "utf8")) as TeamLogin
    return typeof found.url === "string" && typeof found.token === "string" ? found : null
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return null
    throw error
  }
}

/** False if there was no login. */
export function logOut(): boolean {
  const isThere = existsSync(loginFile())
  rmSync(loginFile(), { force: true })
  return isThere
}

/** A client of the server that the user is logged in to. Throws TEAM if there is none. */
export function teamClient(): TeamClient {
  return new TeamClient(teamLogin())
}

/** Asks a team server. Methods throw the server's error if it answers with one; `TeamUnreachable` if it does not answer. */
export class TeamClient {
  readonly #login: TeamLogin
  readonly #timeoutMs: number

  constructor(login: TeamLogin, timeoutMs: number = TIMEOUT_MS) {
    this.#login = login
    this.#timeoutMs = timeoutMs
  }

  status(): Promise<TeamServerStatus> {
    return this.#ask("GET", "/v1/status")
  }

  async repositories(): Promise<ReadableRepository[]> {
    return (await this.#ask<Listed>("GET", "/v1/repositories")).repositories
  }

  /**
   * The repository of this name and its branches, as far as the user may read them and `wanted` selects them. The server
   * gets the beginning of the name's hash only, which many names share: it learns no name that it does not have.
   */
  async repositoriesNamed(name: string, wanted: string = ALL): Promise<ReadableRepository[]> {
    const asked = new URLSearchParams({ repository: wanted, digest: sha256(name).slice(0, DIGEST_LENGTH) })
    const path = "/v1/repositories"
    const { repositories } = await this.#ask<Listed>("GET", path, undefined, `?${asked}`)
    return repositories.filter(({ repository }) => repository.split("#")[0] === name)
  }

  /** Asks a question about code of the repositories that a name selects. Repositories in the answer begin with "team:". */
  ask<Answer>(verb: string, name: string, request: object): Promise<Answer> {
    const body = { repository: name, ...bodyOf(request) }
    return this.#ask("POST", `/v1/${verb}`, body, "", withTeamNames)
  }

  pushMemory(entries: readonly PushedEntry[]): Promise<PushAnswer> {
    return this.#ask("POST", "/v1/memory/push", { entries })
  }

  pullMemory(after: string): Promise<PullAnswer> {
    return this.#ask("POST", "/v1/memory/pull", { after })
  }

  /** The newest revisions of a repository and of its branches, newest first. Their signatures are not checked here. */
  async revisions(repository: string): Promise<RevisionOffer[]> {
    const answer = await this.#ask<{ revisions: RevisionOffer[] }>("POST", "/v1/revisions", { repository })
    return answer.revisions
  }

  /** The bytes of a blob. They are not checked here. */
  async blob(hash: string): Promise<Uint8Array> {
    const response = await this.#fetch("GET", `/v1/blobs/${hash}`)
    if (!response.ok) throw await this.#errorOf(response)
    return await this.#bytes(response, MAX_BLOB_BYTES)
  }

  /** `query`: what follows the path, from "?" on. `reviver`: see JSON.parse. */
  async #ask<T>(method: string, path: string, body?: unknown, query = "", reviver?: Reviver): Promise<T> {
    const response = await this.#fetch(method, `${path}${query}`, body)
    if (!response.ok) throw await this.#errorOf(response)
    const answer = jsonIn(await this.#bytes(response, MAX_ANSWER_BYTES), reviver)
    if (hasAnswerShape(path, answer)) return answer as T
    throw new AmanError("TEAM", `the team server ${this.#login.url} did not answer as one`, {
      hint: "check its address; it may also be of a version that does not fit this one",
    })
  }

  async #fetch(method: string, path: string, body?: unknown): Promise<Response> {
    using probe = this.#probe()
    try {
      return await fetch(`${this.#login.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${this.#login.token}`, "content-type": "application/json" },
        signal: AbortSignal.any([AbortSignal.timeout(this.#timeoutMs), probe.signal]),
        // A redirect would take the token elsewhere.
        redirect: "error",
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    } catch (cause) {
      // Further sentences of the runtime's message are guesses.
      const [why] = (cause instanceof Error ? cause.message : String(cause)).split(/\.(?: |$)/)
      throw new TeamUnreachable(`the team server ${this.#login.url} does not answer: ${why}`, cause)
    }
  }

  /**
   * Watches a request until it is disposed. `signal` is aborted if the server, asked for its health after some time, does
   * not answer that either: a long computation does not keep it from answering, and a hanging server costs seconds.
   */
  #probe(): Disposable & { readonly signal: AbortSignal } {
    const unreachable = new AbortController()
    const probe = async () => {
      const signal = AbortSignal.timeout(PROBE_MS)
      const response = await fetch(`${this.#login.url}/health`, { signal, redirect: "manual" })
      await response.body?.cancel()
    }
    const timer = setTimeout(() => {
      probe().catch((error: unknown) => unreachable.abort(error))
    }, PROBE_AFTER_MS)
    return { signal: unreachable.signal, [Symbol.dispose]: () => clearTimeout(timer) }
  }

  /** The body of a response. Throws TEAM if it is larger. */
  async #bytes({ body }: Response, maxBytes: number): Promise<Uint8Array> {
    const bytes = await readBounded(body, maxBytes).catch((cause: unknown) => {
      throw new TeamUnreachable(`the team server ${this.#login.url} broke off its answer`, cause)
    })
    if (bytes !== null) return bytes
    throw new AmanError(
      "TEAM",
      `the team server ${this.#login.url} sent an answer of more than ${maxBytes} bytes`,
      {
        hint: "check its address; ask for less if it is the right server",
      },
    )
  }

  /** The error that a response of another status than 200 names. */
  async #errorOf(response: Response): Promise<AmanError> {
    const answer = jsonIn(await this.#bytes(response, MAX_ERROR_BYTES))
    const { error } = (answer ?? {}) as { readonly error?: Partial<ErrorBody> | null }
    const { code, message, hint, is_unknown_name } = error ?? {}
    if (typeof code === "string" && typeof message === "string") {
      return new AmanError(code, message, {
        ...(typeof hint === "string" ? { hint } : {}),
        ...(is_unknown_name === true ? { isUnknownName: true } : {}),
      })
    }
    const text = `the team server ${this.#login.url} answered with status ${response.status} and no reason`
    return PROXY_FAILURES.has(response.status) ? new TeamUnreachable(text) : new AmanError("TEAM", text)
  }
}

type Reviver = (key: string, value: unknown) => unknown

/** Gives names of repositories the form that all questions accept. */
const withTeamNames: Reviver = (key, value) =>
  key === "repository" && typeof value === "string" ? `${TEAM_PREFIX}${value}` : value

/** The JSON value; null if the bytes are no JSON. */
function jsonIn(bytes: Uint8Array, reviver?: Reviver): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString(), reviver)
  } catch {
    return null
  }
}

type Listed = { readonly repositories: ReadableRepository[] }

/** Hex digits of a hash that many names share: one name in 65,536. */
const DIGEST_LENGTH = 4

/** Status codes with which a proxy says that the server behind it does not answer. */
const PROXY_FAILURES: ReadonlySet<number> = new Set([502, 503, 504])

type ErrorBody = {
  readonly code: ErrorCode
  readonly message: string
  readonly hint?: string
  readonly is_unknown_name?: boolean
}

function checkUrl(text: string): string {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    throw new AmanError("USAGE", `${JSON.stringify(text)} is not an address`, {
      hint: "for example: aman team login https://aman.example.com",
    })
  }
  const isSafe = url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname))
  if (isSafe) return url.href.replace(/\/+$/, "")
  throw new AmanError("USAGE", "a team server on another machine needs https", {
    hint: "the token would cross the network in the clear",
  })
}

function loginFile(): string {
  const folder = userConfigDir()
  if (folder !== null) return join(folder, "team.json")
  throw new AmanError("IO", "the folder of the user's settings is unknown", {
    hint: "set XDG_CONFIG_HOME or HOME",
  })
}

/** The name by which the team's server knows this repository; null if it has no remote. */
export function teamNameOf(workTree: WorkTree): string | null {
  return remoteOf(workTree)?.replace(/^file:/, "") ?? null
}

/** The fingerprint of a key: a short form that people can compare. */
export function fingerprint(publicKey: string): string {
  const digest = createHash("sha256").update(Buffer.from(publicKey, "base64url")).digest("base64")
  return `SHA256:${digest.replace(/=+$/, "")}`
}
