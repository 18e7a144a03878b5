import { z } from "zod"
import {
  errorResponse,
  failure,
  jsonBody,
  parseAs,
  ServedProject,
  ServedRepositories,
  type UiOptions,
} from "../../src/ask/index.ts"
import { listen, log } from "../../src/base/index.ts"
import { loadMemory, MemoryHandle } from "../../src/memory/index.ts"
import { Admission, HEADERS } from "./server/admission.ts"
import { ProjectEvents } from "./server/events.ts"
import { ProjectUses } from "./server/map-data.ts"
import { runMemoryAction } from "./server/memory-actions.ts"
import { pageFile } from "./server/page-files.ts"
import { READS, type UiContext } from "./server/reads.ts"
import { placesOfProject } from "./server/search.ts"

// The server is reachable from this machine only. Unlike for the servers for agents and teams, no flag changes this
// address.
const HOST = "127.0.0.1"

const IDLE_S = 120
const MAX_BODY_BYTES = 1 << 20

/** Serves the page and its JSON API (docs/ui.md) until the signal aborts. */
export async function serveUi(options: UiOptions, signal: AbortSignal): Promise<void> {
  const project = new ServedProject(options.project)
  await using memory = new MemoryHandle(async (how) => {
    const { openMemory } = await loadMemory()
    return openMemory(options.project, how)
  })
  await using others = new ServedRepositories(options.project)
  const { commands } = options
  const code = { ...placesOfProject({ project, others }), commands }
  const place: UiContext = { ...code, project, others, memory, options, uses: new ProjectUses() }
  const events = new ProjectEvents(project, memory)
  let admission: Admission
  const fetch = async (request: Request, own: Bun.Server<undefined>) => {
    const response = await answerRequest({ place, events, admission }, request, own)
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
  // A browser keeps the part after "#" to itself: no server, log or Referer header gets it.
  options.onListening({ url: `${url}#/open?code=${admission.code}`, port: server.port! })
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
  try {
    const page = await pageFile("project", request.method, url.pathname)
    if (page !== null) return page
    if (`${request.method} ${url.pathname}` === "POST /api/session") {
      const secret = admission.redeem(parseAs(SESSION, await jsonBody(request)).code)
      if (secret !== null) return Response.json({ secret })
    } else if (admission.hasSession(request)) return await apiAnswer(ui, request, url, server)
    return failure(401, "USAGE", NEEDS_LINK)
  } catch (error) {
    return errorResponse(error)
  }
}

const SESSION = z.strictObject({ code: z.string().max(100) })
const NEEDS_LINK =
  "This page needs the link that `aman ui` prints. Each link opens one tab, and a restart makes a new one."

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
