import { MemoryHandle } from "../app/memory/store/memory-handle.ts"
import type { UiOptions } from "../app/project/serve-options.ts"
import { ServedProject } from "../app/project/served-project.ts"
import { listen } from "../base/listen.ts"
import { log } from "../base/log.ts"
import { errorResponse, failure, jsonBody } from "./json-http.ts"
import { Admission, HEADERS } from "./ui/admission.ts"
import { ProjectEvents } from "./ui/events.ts"
import { runMemoryAction } from "./ui/memory-actions.ts"
import { PAGE, pageFiles } from "./ui/page-files.ts"
import { READS, type UiContext } from "./ui/reads.ts"

// The server is reachable from this machine only. Unlike for the servers for agents and teams, no flag changes this
// address.
const HOST = "127.0.0.1"

const IDLE_S = 120
const MAX_BODY_BYTES = 1 << 20

/** Serves the page and its JSON API (docs/ui.md) until the signal aborts. */
export async function serveUi(options: UiOptions, signal: AbortSignal): Promise<void> {
  const project = new ServedProject(options.project)
  await using memory = new MemoryHandle(async (how) => {
    const { openMemory } = await import("../app/memory/memory.ts")
    return openMemory(options.project, how)
  })
  const place: UiContext = { project, memory, options }
  const events = new ProjectEvents(project, memory)
  const files = await pageFiles()
  let admission: Admission
  const fetch = async (request: Request, own: Bun.Server<undefined>) => {
    const response = await answerRequest({ place, events, files, admission }, request, own)
    for (const [name, value] of Object.entries(HEADERS)) response.headers.set(name, value)
    return response
  }
  const { port } = options
  const server = listen({
    hostname: HOST,
    port,
    fetch,
    idleTimeout: IDLE_S,
    maxRequestBodySize: MAX_BODY_BYTES,
  })
  admission = new Admission(server.port!)
  const url = `http://${HOST}:${server.port}/`
  options.onListening({ url: `${url}?token=${admission.token}`, port: server.port! })
  log.info("listening", { host: HOST, port: server.port })
  await new Promise((resolve) => {
    if (signal.aborted) resolve(null)
    signal.addEventListener("abort", resolve, { once: true })
  })
  events.close()
  await server.stop(true)
  await project.close()
}

type UiServer = {
  readonly place: UiContext
  readonly events: ProjectEvents
  readonly files: Awaited<ReturnType<typeof pageFiles>>
  readonly admission: Admission
}

async function answerRequest(
  ui: UiServer,
  request: Request,
  server: Bun.Server<undefined>,
): Promise<Response> {
  const { admission } = ui
  const reason = admission.refusalReason(request)
  if (reason !== null) {
    log.warn("a request was refused", { reason })
    return failure(403, "USAGE", reason)
  }
  const url = new URL(request.url)
  if (url.pathname === "/" && admission.redeems(url.searchParams.get("token")))
    return textResponse(PAGE, "text/html", { "set-cookie": admission.setCookie })
  if (!admission.hasSession(request)) return refuseUnknownBrowser(url.pathname)
  try {
    return file(ui, url.pathname) ?? (await apiAnswer(ui, request, url, server))
  } catch (error) {
    return errorResponse(error)
  }
}

const NEEDS_LINK =
  "This page needs the link that `aman ui` prints. Each link opens one browser, and a restart makes a new one."

function refuseUnknownBrowser(path: string): Response {
  if (path === "/") return textResponse(NEEDS_LINK, "text/plain", {}, 401)
  return failure(401, "USAGE", NEEDS_LINK)
}

function file({ files }: UiServer, path: string): Response | null {
  if (path === "/") return textResponse(PAGE, "text/html")
  if (path === "/page.js") return textResponse(files.script, "text/javascript")
  return path === "/page.css" ? textResponse(files.style, "text/css") : null
}

function textResponse(
  body: string,
  type: string,
  headers: Record<string, string> = {},
  status = 200,
): Response {
  return new Response(body, { status, headers: { "content-type": `${type}; charset=utf-8`, ...headers } })
}

async function apiAnswer(
  { place, events }: UiServer,
  request: Request,
  { pathname, searchParams }: URL,
  server: Bun.Server<undefined>,
): Promise<Response> {
  const route = `${request.method} ${pathname}`
  if (route === "GET /api/events") {
    server.timeout(request, 0)
    return events.open(request.signal)
  }
  if (route === "POST /api/memory")
    return Response.json(await runMemoryAction(place, await jsonBody(request)))
  const read = request.method === "GET" ? READS[pathname] : undefined
  if (read === undefined) return failure(404, "NOT_FOUND", `there is no ${route.slice(0, 80)}`)
  return Response.json(await read(place, searchParams, request.signal))
}
