/*
 * The HTTP server of a team's node: JSON requests, MCP, webhooks, metrics and requests of other nodes. `serveTeam`
 * starts it and, after a signal, drains it: for some time new requests are still answered, but health checks say that
 * the node is stopping; then it waits for running requests.
 */

import { readFileSync } from "node:fs"
import { z } from "zod"
import { errorResponse, failure, isSameText, jsonBody, parseAs, type Verb } from "../../src/ask/index.ts"
import {
  AmanError,
  elapsedMs,
  isLoopback,
  listen,
  log,
  type SearchScale,
  version,
} from "../../src/base/index.ts"
import { CONTEXT_LIMITS } from "../../src/context/index.ts"
import {
  CONTEXT,
  choice,
  type Fields,
  fromBody,
  pick,
  RANKED_MODES,
  READ,
  required,
  SEARCH,
  SYMBOL,
  text,
  toggle,
  whole,
  without,
} from "../../src/doors/index.ts"
import { ALL, requestOf } from "../../src/index/index.ts"
import type { Principal } from "./catalogue/access.ts"
import { Metrics, problemsIn } from "./metrics.ts"
import { TeamNode, type TeamServerOptions } from "./node/node.ts"
import { NODE_PATH } from "./node/other-nodes.ts"
import { FurtherProcesses } from "./node/processes.ts"
import { answerPage, answerPageFile, PAGE_FILES, PAGE_REQUESTS, setPageHeaders } from "./page-door.ts"
import { readWebhook, WEBHOOK_PATH } from "./webhook.ts"

/** Maximum bytes of a request; the largest are batches of shared memories. */
const MAX_BODY_BYTES = 8 << 20

const IDLE_S = 120

/** Serves the team's repositories as JSON and as MCP over HTTP until the signal aborts. docs/team.md describes the requests. */
export async function serveTeam(options: TeamServerOptions, signal: AbortSignal): Promise<void> {
  const { host, port, tls, isBehindProxy } = options
  if (tls === null && !isLoopback(host) && !isBehindProxy) {
    throw new AmanError(
      "USAGE",
      `tokens would cross the network in the clear: ${host} is not this machine alone`,
      {
        hint: "give --cert and --key, or --behind-proxy if a proxy in front of it encrypts",
      },
    )
  }
  await using node = await TeamNode.start(options)
  const certificate = tls && { cert: readFileSync(tls.cert, "utf8"), key: readFileSync(tls.key, "utf8") }
  await using further = new FurtherProcesses({ ...options, name: node.name }, signal)
  const door = new TeamHttpServer(node, options, further)
  const limits = { idleTimeout: IDLE_S, maxRequestBodySize: MAX_BODY_BYTES }
  const fetch = (request: Request) => door.handle(request)
  const server = listen({ ...limits, hostname: host, port, tls: certificate ?? undefined, fetch })
  const url = `${tls === null ? "http" : "https"}://${host.includes(":") ? `[${host}]` : host}:${server.port}`
  const isLocal = isLoopback(host) && tls === null
  const beside = options.processes > 1 && !isLocal ? listen({ ...limits, ...LOCAL, fetch }) : null
  await node.join({
    // The first process of a further one may be reached by other machines, where this address would mean another process.
    url: options.advertised ?? (isLoopback(host) && !options.isFurther ? url : null),
    local: beside === null ? (isLocal ? url : null) : `http://${LOCAL.hostname}:${beside.port}`,
    group: options.group,
  })
  options.onListening(url)
  await new Promise((resolve) => {
    if (signal.aborted) resolve(null)
    signal.addEventListener("abort", resolve, { once: true })
  })
  log.info("draining", { seconds: options.drainS, running: door.running })
  await door.drain(options.drainS * 1000)
  // Waits for responses that are still being sent, but not for idle connections.
  await Promise.race([server.stop(), Bun.sleep(SEND_MS)])
  await server.stop(true)
  await beside?.stop(true)
}

/** Where a node's own processes ask a first process that other machines or TLS connections reach. */
const LOCAL = { hostname: "127.0.0.1", port: 0 } as const

/** Max time in ms to wait for the last responses to be sent. */
const SEND_MS = 1000
/** Max time in ms to wait for running requests when the server ends. */
const FINISH_MS = 30_000

/** Answers and counts the requests to the team's server until it is drained and closed. */
class TeamHttpServer {
  readonly #node: TeamNode
  readonly #options: TeamServerOptions
  readonly #further: FurtherProcesses
  readonly #metrics = new Metrics()
  #state: "open" | "draining" | "closed" = "open"
  running = 0

  constructor(node: TeamNode, options: TeamServerOptions, further: FurtherProcesses) {
    this.#node = node
    this.#options = options
    this.#further = further
  }

  async handle(request: Request): Promise<Response> {
    const started = performance.now()
    const { pathname } = new URL(request.url)
    this.running++
    const response = await this.#answer(request, pathname).catch(errorResponse)
    this.running--
    const [route, { method }, { status }] = [routeOf(pathname), request, response]
    const ms = elapsedMs(started)
    this.#metrics.observe(route, status, ms / 1000)
    log.info("request", { method, route, status, ms })
    if (PAGE_FILES.has(route) || route === PAGE_REQUESTS) await setPageHeaders(response)
    // The header makes clients connect again, to a node that keeps running.
    if (this.#state !== "open") response.headers.set("connection", "close")
    return response
  }

  /**
   * Keeps answering requests for `ms`, while health checks say that the node is stopping; then refuses new requests and
   * waits for running ones, at most FINISH_MS.
   */
  async drain(ms: number): Promise<void> {
    this.#state = "draining"
    await this.#node.leave()
    await Bun.sleep(ms)
    this.#state = "closed"
    const until = performance.now() + FINISH_MS
    while (this.running > 0 && performance.now() < until) await Bun.sleep(20)
  }

  async #answer(request: Request, pathname: string): Promise<Response> {
    const { method } = request
    if (pathname === "/health") return this.#health(request)
    if (this.#state === "closed") return failure(503, "TEAM", "the server is stopping", "try again")
    if (pathname === "/metrics" && method === "GET") return this.#showMetrics(request)
    return (
      (await this.#further.answer(request)) ??
      (await answerWebhook(this.#node, request, this.#options)) ??
      (await answerRequest(this.#node, request))
    )
  }

  /** With the token of the metrics, also what an administrator should do. */
  async #health(request: Request): Promise<Response> {
    const status = this.#state !== "open" ? "draining" : (await this.#node.isReady()) ? "ok" : "no database"
    const isOperator = isSameText(bearerOf(request) ?? "", this.#options.metricsToken ?? "")
    const isTold = this.#options.metricsToken !== null && isOperator && status !== "no database"
    const more = isTold ? { problems: problemsIn(await this.#node.figures()) } : {}
    return Response.json({ status, ...more }, { status: status === "ok" ? 200 : 503 })
  }

  async #showMetrics(request: Request): Promise<Response> {
    const { metricsToken } = this.#options
    if (metricsToken === null)
      return failure(404, "NOT_FOUND", "there are no metrics", "set AMAN_TEAM_METRICS_TOKEN for the node")
    const given = bearerOf(request) ?? ""
    if (!isSameText(given, metricsToken)) {
      await this.#node.refused("metrics refused", "wrong token")
      return failure(401, "USAGE", "the token of the metrics is missing or wrong")
    }
    const text = await this.#metrics.text(await this.#node.figures(), this.running)
    return new Response(text, { headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" } })
  }
}

/** The path as a label for metrics: known paths as they are, all others as one value. */
function routeOf(pathname: string): string {
  if (pathname.startsWith("/v1/blobs/")) return "/v1/blobs"
  if (WEBHOOK_PATH.test(pathname)) return "/v1/hooks"
  if (pathname.endsWith(NODE_PATH)) return NODE_PATH
  if (pathname.startsWith(PAGE_REQUESTS)) return PAGE_REQUESTS
  return KNOWN_PATHS.has(pathname) ? pathname : "other"
}

function bearerOf(request: Request): string | undefined {
  return /^Bearer (\S{1,16384})$/i.exec(request.headers.get("authorization") ?? "")?.[1]
}

/** The answer to a host's webhook; null for any other request, and without a secret for webhooks. */
async function answerWebhook(
  node: TeamNode,
  request: Request,
  { webhookSecret }: TeamServerOptions,
): Promise<Response | null> {
  const host = WEBHOOK_PATH.exec(new URL(request.url).pathname)?.[1]
  if (host === undefined || request.method !== "POST" || webhookSecret === null) return null
  const delivery = await readWebhook(host, request, webhookSecret)
  if (delivery === null) {
    log.warn("a webhook was refused", { host, reason: "signature" })
    await node.refused("webhook refused", `${host}: wrong signature`)
    return failure(401, "USAGE", "the signature of the webhook is missing or wrong")
  }
  const wanted = await node.pushed(delivery.urls, delivery.digest)
  if (wanted === null) {
    await node.refused("webhook refused", `${host}: taken before`)
    return failure(409, "USAGE", "this webhook has been taken before")
  }
  return Response.json({ wanted }, { status: 202 })
}

const NEW_TOKEN = "an administrator makes a new one with aman team token PERSON; then: aman team login URL"

async function answerRequest(node: TeamNode, request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url)
  if (pathname === NODE_PATH) return answerNode(node, request)
  const file = await answerPageFile(request, pathname)
  if (file !== null) return file
  const token = bearerOf(request)
  const who = token === undefined ? null : await node.principalOf(token)
  if (who === null) {
    log.warn("a request was refused", { reason: "token" })
    return failure(401, "USAGE", "a token is missing, wrong, expired or revoked", NEW_TOKEN)
  }
  if (pathname.startsWith(PAGE_REQUESTS)) return answerPage(node, who, request, pathname)
  if (pathname === "/mcp") return (await import("./team-door.ts")).answerMcp(node, who, request)
  const blob = /^\/v1\/blobs\/([0-9a-f]{64})$/.exec(pathname)?.[1]
  if (blob !== undefined && request.method === "GET") return new Response(await node.blob(who, blob))
  const route = ROUTES[`${request.method} ${pathname}`]
  if (route === undefined)
    return failure(404, "NOT_FOUND", `there is no ${request.method} ${pathname.slice(0, 80)}`)
  const fields = request.method === "POST" ? await jsonBody(request) : Object.fromEntries(searchParams)
  return Response.json(await route(node, who, fields))
}

/** Answers another node of the team. */
async function answerNode(node: TeamNode, request: Request): Promise<Response> {
  const pass = /^Node (\S+)$/.exec(request.headers.get("authorization") ?? "")?.[1] ?? ""
  const answered = request.method === "POST" ? await node.answerNode(pass, await request.text()) : null
  if (answered !== null) return new Response(answered)
  await node.refused("node refused", "wrong pass")
  return failure(401, "USAGE", "only nodes of the team may ask this")
}

type Route = (node: TeamNode, who: Principal, body: unknown) => Promise<unknown>

const LISTING = z.strictObject({
  repository: z.string().min(1).max(300).default(ALL),
  digest: z.string().max(64).default(""),
})
const REVISIONS = z.strictObject({ repository: z.string().min(1).max(1000) })
const PUSH = z.strictObject({
  entries: z
    .array(
      z.strictObject({
        subject: z.string().max(100),
        visible_to: z.string().min(1).max(80),
        repository: z.string().max(1000).nullable(),
        events: z.array(z.unknown()).min(1).max(10_000),
      }),
    )
    .max(1000),
})
const PULL = z.strictObject({ after: z.string().max(100) })

/** Max places, files or offsets of a page, which a client may ask for in order to compare it with a checkout. */
const MAX_PAGE = 1000

const { tokens } = CONTEXT_LIMITS
const lists = { paths: SEARCH.path, languages: SEARCH.language, extensions: SEARCH.extension }
/** The repository whose places the client has itself. */
const rest = { without: text(1000) }

const NUMBER = { type: "number" } as const
/** As many terms as a query may have. */
const LIST = { type: "array", maxItems: 32 } as const
const [NUMBERS, COUNT] = [
  { ...LIST, items: NUMBER },
  { type: "integer", minimum: 0 },
] as const

/** See SearchScale. */
const SCALE: Readonly<Record<keyof SearchScale, Fields[string]["schema"]>> = {
  ...{ files: COUNT, chunks: COUNT, hasMatch: { type: "boolean" } },
  stems: { ...LIST, items: { type: "string", maxLength: 1000 } },
  ...{ weights: NUMBERS, fileIdf: NUMBERS, chunkIdf: NUMBERS, idfSum: NUMBER, chunkIdfSum: NUMBER },
  ...{ maxScore: NUMBER, maxChunk: NUMBER, maxTopChunks: NUMBER, strangeness: NUMBER, maxExactWords: NUMBER },
}

const beside: Fields[string] = {
  schema: { type: "object", properties: SCALE, required: Object.keys(SCALE), additionalProperties: false },
  read: (value) => value,
}

/** The fields of each question about code: those of the verb, as the request behind it names them. */
const QUESTIONS: Readonly<Record<Verb, Fields>> = {
  search: {
    ...pick(SEARCH, "query", "names", "like", "limit", "offset", "content", "explain", "rank_all"),
    ...{ ...lists, kinds: SEARCH.kind, isPlain: toggle(), isTyped: toggle(), brief: toggle() },
    keeps_operators: toggle(),
    mode: choice(RANKED_MODES, { usual: "hybrid" }),
    passage_tokens: SEARCH.max_tokens,
    beside,
  },
  context: {
    ...pick(CONTEXT, "query", "names", "max_files"),
    ...{ max_tokens: whole([tokens.min, tokens.max], { usual: tokens.usual }), ends_early: toggle() },
    ...{ paths: CONTEXT.path, related: CONTEXT.include_related, tests: CONTEXT.include_tests },
  },
  grep: {
    ...pick(SEARCH, "ignore_case", "whole_word", "context"),
    ...{ ...lists, ...rest, query: required(SEARCH.query) },
    mode: choice(["exact", "regex"], { usual: "exact" }),
    limit: whole([0, MAX_PAGE], { usual: 30 }),
    offset: whole([0, 1_000_000], { usual: 0 }),
    tokens: whole([0, 100_000], { usual: 6000 }),
    isAll: toggle(),
  },
  symbol: {
    ...without(SYMBOL, "repository", "team"),
    ...{ ...rest, limit: whole([0, MAX_PAGE], { usual: 50 }), isDefined: toggle() },
  },
  read: pick(READ, "path", "start_line", "end_line"),
}

function codeRoute(verb: Verb): Route {
  const fields = { ...QUESTIONS[verb], repository: text(1000, { usual: ALL }) }
  return async (node, who, body) => {
    const { repository, ...request } = fromBody(fields, body, "all")
    return node.source(who, repository)[verb](requestOf(request) as never)
  }
}

const ROUTES: Readonly<Record<string, Route>> = {
  "GET /v1/status": async (node, who) => ({
    version,
    principal: who.name,
    key: node.publicKey,
    repositories: (await node.repositories(who)).length,
  }),
  "GET /v1/repositories": async (node, who, body) => {
    const { repository, digest } = parseAs(LISTING, body)
    return { repositories: await node.repositories(who, repository, digest) }
  },
  "POST /v1/revisions": async (node, who, body) => ({
    revisions: await node.offers(who, parseAs(REVISIONS, body).repository),
  }),
  "POST /v1/search": codeRoute("search"),
  "POST /v1/context": codeRoute("context"),
  "POST /v1/grep": codeRoute("grep"),
  "POST /v1/symbol": codeRoute("symbol"),
  "POST /v1/read": codeRoute("read"),
  "POST /v1/memory/push": async (node, who, body) => node.pushMemory(who, parseAs(PUSH, body).entries),
  "POST /v1/memory/pull": async (node, who, body) => node.pullMemory(who, parseAs(PULL, body).after),
}

const KNOWN_PATHS: ReadonlySet<string> = new Set([
  ...["/health", "/metrics", "/mcp", ...PAGE_FILES],
  ...Object.keys(ROUTES).map((route) => route.replace(/^\S+ /, "")),
])
