/*
 * The requests of the page that change nothing, by path (`READS`). Each parses its parameters, calls one use case and
 * returns JSON; code lines are coloured here, because the page shows text only.
 */

import { basename } from "node:path"
import { z } from "zod"
import { parseAs } from "../../../src/api/json-http.ts"
import type { SearchAnswer, SearchResult } from "../../../src/app/answers.ts"
import { searchGuides } from "../../../src/app/help/guides.ts"
import type { MemoryHandle } from "../../../src/app/memory/store/memory-handle.ts"
import type { RecordedCall } from "../../../src/app/project/recorded-calls.ts"
import type { UiOptions } from "../../../src/app/project/serve-options.ts"
import type { ServedProject } from "../../../src/app/project/served-project.ts"
import type { SkippedPath } from "../../../src/app/project/status-project.ts"
import { DRAWN_RELATIONS, graphFor } from "../../../src/app/symbols/drawn-symbols.ts"
import { hasField } from "../../../src/base/log.ts"
import { version } from "../../../src/base/version.ts"
import { TOKEN_KINDS } from "../../../src/code/parse/tokens.ts"
import { codeLines } from "./code-lines.ts"

/** Context of the page's requests: the project, the memory and the settings. */
export type UiContext = {
  readonly project: ServedProject
  readonly memory: MemoryHandle
  readonly options: Pick<UiOptions, "editor" | "commands">
}

type ReadRoute = (place: UiContext, query: URLSearchParams, signal: AbortSignal) => Promise<object>

const MAX_QUERY = 10_000
/** Token budget for the marked passages of all results on a page together. */
const PASSAGE_TOKENS = 1500
/** Maximum lines of a result or of a file in one answer. */
const MAX_LINES = 2000

const MAX_SKIPPED = 5000
/** Maximum sections of the guides in one answer. */
const MAX_GUIDES = 10

const texts = z.array(z.string().max(1000)).max(20).default([])
const number = (min: number, max: number) => z.coerce.number().int().min(min).max(max)
const QUESTION = {
  q: z.string().max(MAX_QUERY),
  names: texts,
  mode: z.enum(["hybrid", "keyword", "semantic"]).default("hybrid"),
  content: z.enum(["code", "docs", "all"]).default("all"),
  folder: texts,
  language: texts,
  kind: texts,
}
const SEARCH = z.strictObject({
  ...QUESTION,
  limit: number(1, 50).default(10),
  offset: number(0, 10_000).default(0),
})
const HELP = z.strictObject({ q: z.string().max(1000).default("") })
const WHY_NOT = z.strictObject({ ...QUESTION, path: z.string().min(1).max(4096) })
const FILE = z.strictObject({
  path: z.string().min(1).max(4096),
  start: number(1, 10_000_000).default(1),
  end: number(1, 10_000_000).optional(),
})
const FILES = z.strictObject({ after: z.string().max(4096).default(""), limit: number(1, 1000).default(500) })
const repository = z.string().min(1).max(4096).optional()
const SKIPPED = z.strictObject({ reason: z.string().max(200).optional(), repository })
const label = z.string().max(1000).optional()
const RECALL = z.strictObject({
  q: z.string().max(MAX_QUERY),
  limit: number(1, 100).default(50),
  topic: label,
  kind: texts,
  tag: texts,
  author: label,
  as_of: label,
})
const MAP = z.strictObject({ path: z.string().max(4096).default(""), memories: z.enum(["true"]).optional() })
const CALLS = z.strictObject({ limit: number(1, 1000).default(200), offset: number(0, 100_000).default(0) })
const LOG = z.strictObject({ lines: number(1, 2000).default(200), repository })
const SYMBOL = z.strictObject({
  name: z.string().max(1000).optional(),
  relation: z.enum(["definition", "callers", "callees", "implementations", "impact", "outline"]),
  path: z.string().max(4096).optional(),
  limit: number(1, 200).default(30),
})
const GRAPH = z.strictObject({
  name: z.string().max(1000).optional(),
  relation: z.enum(DRAWN_RELATIONS).default("neighbourhood"),
  path: z.string().max(4096).optional(),
  diff: z.string().max(1000).optional(),
  depth: number(1, 5).default(1),
  limit: number(1, 200).default(50),
})
const COMPLETE = z.strictObject({
  of: z.enum(["path", "symbol", "language"]),
  typed: z.string().max(1000).default(""),
})

/** Requests that change nothing, by path; docs/ui.md describes them. */
export const READS: Readonly<Record<string, ReadRoute>> = {
  "/api/project": async ({ project, options: { editor } }) => {
    const { root } = project
    return { version, root, name: basename(root), editor, token_kinds: TOKEN_KINDS }
  },
  "/api/status": ({ project }) => project.status(),
  "/api/search": async ({ project }, query, signal) => {
    const { limit, offset, ...question } = parseAs(SEARCH, requestValues(query))
    const request = { ...searchRequestOf(question), limit, offset, explain: true }
    return withColouredLines(await project.search({ ...request, passageTokens: PASSAGE_TOKENS }, { signal }))
  },
  "/api/help": async ({ options: { commands } }, query) => {
    const { q } = parseAs(HELP, requestValues(query))
    return { results: q.trim() === "" ? [] : await searchGuides(q, MAX_GUIDES, commands) }
  },
  "/api/why-not": async ({ project }, query, signal) => {
    const { path, ...question } = parseAs(WHY_NOT, requestValues(query))
    return project.whyNot({ ...searchRequestOf(question), explain: false }, path, signal)
  },
  "/api/file": async ({ project }, query) => {
    const { path, start, end } = parseAs(FILE, requestValues(query))
    const endLine = Math.min(end ?? Number.POSITIVE_INFINITY, start + MAX_LINES - 1)
    const { text, ...file } = await project.read({ path, startLine: start, endLine })
    return { ...file, lines: await codeLines(file.language, text, file.start_line) }
  },
  "/api/files": async ({ project }, query) => {
    const { after, limit } = parseAs(FILES, requestValues(query))
    return { files: project.files(after, limit) }
  },
  "/api/skipped": async ({ project }, query) => {
    const { reason, repository } = parseAs(SKIPPED, requestValues(query))
    const skipped = await (repository === undefined
      ? project.skipped(reason)
      : skippedElsewhere(repository, reason))
    const counts = Map.groupBy(skipped, (each) => each.reason)
    return {
      skipped: skipped.slice(0, MAX_SKIPPED),
      total: skipped.length,
      reasons: Object.fromEntries([...counts].map(([name, all]) => [name, all.length])),
    }
  },
  "/api/repositories": async () => {
    const [{ configuredRepositories }, { repositoriesStatus }] = await Promise.all([
      import("../../../src/app/repositories/configured.ts"),
      import("../../../src/app/repositories/status.ts"),
    ])
    return repositoriesStatus(configuredRepositories())
  },
  "/api/recall": async ({ memory }, query) => {
    const { q, kind, tag, ...filter } = parseAs(RECALL, requestValues(query))
    const { recall } = await import("../../../src/app/memory/recall.ts")
    return memory.use((opened) => recall(opened, { query: q, kinds: kind, tags: tag, ...filter }))
  },
  "/api/map": async ({ project, memory }, query) => {
    const { path, memories } = parseAs(MAP, requestValues(query))
    const { sourceCounts } = await import("../../../src/app/memory/sources.ts")
    const counts =
      memories === undefined ? new Map() : await memory.use(async (opened) => sourceCounts(opened))
    return (await project.codeMap(path, counts)) ?? { folder: path, items: [], left_out: 0 }
  },
  "/api/calls": async ({ project }, query) => {
    const { limit, offset } = parseAs(CALLS, requestValues(query))
    const { cleanRecord, recordedCalls, recordPath } = await import(
      "../../../src/app/project/recorded-calls.ts"
    )
    const { root, recordsCalls } = project
    const now = new Date().toISOString()
    cleanRecord(recordsCalls, now)
    const calls = recordedCalls(root, now)
    const shown = calls.slice(offset, offset + limit)
    return {
      recording: recordsCalls,
      file: recordPath(),
      calls: shown,
      total: calls.length,
      clients: byClient(calls),
    }
  },
  "/api/setup": async () => {
    const [{ setupChoice }, { planSetup }, { setupJson }, { PARTS }] = await Promise.all([
      import("../../../src/app/project/setup-choice.ts"),
      import("../../../src/setup/setup.ts"),
      import("../../../src/setup/setup-json.ts"),
      import("../../../src/setup/clients/clients.ts"),
    ])
    const choice = setupChoice({ clients: [], parts: new Set(PARTS), isRemoval: false, project: null })
    return setupJson(planSetup(choice), choice, null)
  },
  "/api/log": async (_, query) => {
    const { lines, repository } = parseAs(LOG, requestValues(query))
    const { lastLogLines } = await import("../../../src/app/project/read-log.ts")
    const isAsked = repository === undefined ? undefined : hasField("repository", repository)
    return { lines: lastLogLines("server", lines, isAsked)?.lines ?? [] }
  },
  "/api/team": async () => {
    const { isLoggedIn, teamClient, teamLogin } = await import("../../../src/app/team/client/client.ts")
    if (!isLoggedIn()) return { team: null }
    const client = teamClient()
    const [status, repositories] = await Promise.all([client.status(), client.repositories()])
    return { team: { url: teamLogin().url, ...status, repositories } }
  },
  "/api/symbol": async ({ project }, query, signal) =>
    project.symbol({ ...parseAs(SYMBOL, requestValues(query)), offset: 0 }, { signal }),
  "/api/graph": async ({ project }, query, signal) =>
    graphFor((request) => project.symbol(request, { signal }), parseAs(GRAPH, requestValues(query))),
  "/api/complete": async ({ project }, query) => {
    const { of, typed } = parseAs(COMPLETE, requestValues(query))
    return { values: project.complete(of, typed, of === "language" ? 100 : 20) }
  },
}

/** Files and folders of another repository that are not indexed. */
async function skippedElsewhere(name: string, reason: string | undefined): Promise<SkippedPath[]> {
  const [{ configuredRepositories }, { OpenClones }, { skippedInRepository }] = await Promise.all([
    import("../../../src/app/repositories/configured.ts"),
    import("../../../src/app/repositories/clones.ts"),
    import("../../../src/app/repositories/several.ts"),
  ])
  const configured = configuredRepositories()
  using clones = new OpenClones(configured.config)
  return skippedInRepository(configured, name, reason, (each) => clones.open(each))
}

/** Statistics of the recorded calls of each client, the client with the most calls first. */
function byClient(calls: readonly RecordedCall[]): object[] {
  return [...Map.groupBy(calls, ({ client }) => client)]
    .map(([client, own]) => ({
      client,
      calls: own.length,
      tokens: own.reduce((sum, { tokens }) => sum + tokens, 0),
      errors: own.filter(({ is_error }) => is_error).length,
      last: own[0]!.at,
    }))
    .sort((a, b) => b.calls - a.calls)
}

/** The parameters of a request: a list for the names that may be given several times. */
function requestValues(query: URLSearchParams): Record<string, string | string[]> {
  const lists = new Set(["names", "folder", "language", "kind", "tag"])
  return Object.fromEntries(
    [...new Set(query.keys())].map((name) => [name, lists.has(name) ? query.getAll(name) : query.get(name)!]),
  )
}

function searchRequestOf({
  q,
  names,
  mode,
  content,
  folder,
  language,
  kind,
}: z.infer<z.ZodObject<typeof QUESTION>>) {
  return { query: q, names, isTyped: true, mode, content, paths: folder, languages: language, kinds: kind }
}

/** The answer with coloured lines in place of text. */
async function withColouredLines(answer: SearchAnswer) {
  const results: object[] = []
  for (const result of answer.results) results.push(await shownResult(result))
  return { ...answer, results }
}

async function shownResult({ text, passages = [], explanation, ...result }: SearchResult) {
  const lines = await codeLines(result.language, text, result.start_line)
  return {
    ...result,
    lines: lines.slice(0, MAX_LINES),
    passages: passages.map(({ start_line, end_line }) => ({ start_line, end_line })),
    explanation: explanation && {
      ...explanation,
      features: explanation.features.filter(({ contribution }) => contribution !== 0),
    },
  }
}
