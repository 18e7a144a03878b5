/*
 * The page of a node, for people with a browser: the page of `aman ui` over the sources of `/v1`, with the same rights.
 */

import { failure } from "../../src/ask/index.ts"
import { loadHelp } from "../../src/doors/index.ts"
import { loadTeamPage, type TeamRepository } from "../page/index.ts"
import { NO_WORKER_S } from "./metrics.ts"
import type { TeamNode } from "./node/node.ts"

type Principal = Parameters<TeamNode["source"]>[0]

/** Paths of the page's files, which are the same for everybody, and the beginning of those of its requests. */
export const PAGE_FILES: ReadonlySet<string> = new Set(["/", "/page.js", "/page.css", "/favicon.ico"])
export const PAGE_REQUESTS = "/api/"

/** The response with a file of the page; null for any other request. */
export async function answerPageFile({ method }: Request, path: string): Promise<Response | null> {
  if (!PAGE_FILES.has(path)) return null
  const { pageFile } = await loadTeamPage()
  return pageFile("team", method, path)
}

/** Answers a request of the page. Its parameters are in the body, because proxies log addresses. */
export async function answerPage(
  node: TeamNode,
  who: Principal,
  request: Request,
  path: string,
): Promise<Response> {
  const { teamPageAnswer } = await loadTeamPage()
  const places = {
    person: who.name,
    source: (name: string) => node.source(who, name),
    repositories: () => repositoriesOf(node, who),
    commands: async () => (await loadHelp()).allDefinitions(),
  }
  const query = new URLSearchParams(await request.text())
  const isAsked = request.method === "POST"
  const answer = isAsked ? await teamPageAnswer(places, path, query, request.signal) : null
  if (answer !== null) return Response.json(answer)
  return failure(404, "NOT_FOUND", `there is no ${request.method} ${path.slice(0, 80)}`)
}

/** Sets the headers of every response of the page. */
export async function setPageHeaders(response: Response): Promise<void> {
  const { HEADERS } = await loadTeamPage()
  for (const [name, value] of Object.entries(HEADERS)) response.headers.set(name, value)
}

/** The repositories that a person may read: first those without an index, in the order of the queue, then those not updated. */
async function repositoriesOf(node: TeamNode, who: Principal): Promise<TeamRepository[]> {
  const [waiting, indexed] = await Promise.all([node.waiting(who), node.repositories(who)])
  const ready = indexed.toSorted((a, b) => Number(a.error === null) - Number(b.error === null))
  const none = { commit: null, files: null, published_at: null }
  return [
    ...waiting.map(({ name, error, isIndexed, idleS, progress }): TeamRepository => {
      const state = error !== null ? "failed" : isIndexed ? "indexing" : "waiting"
      const reason = error ?? (idleS >= NO_WORKER_S ? "no worker takes jobs" : null)
      return { repository: name, state, ...none, progress, reason }
    }),
    ...ready.map(({ error, ...each }): TeamRepository => {
      return { ...each, state: "ready", progress: null, reason: error }
    }),
  ]
}
