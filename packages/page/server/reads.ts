/*
 * The requests of the page that change nothing, by path (`READS`). Each parses its parameters, calls one use case and
 * returns JSON; code lines are coloured here, because the page shows text only.
 */

import { existsSync } from "node:fs"
import { basename } from "node:path"
import { z } from "zod"
import {
  loadReadLog,
  loadRecordedCalls,
  loadRepositories,
  loadSeveralSources,
  parseAs,
  type RecordedCall,
  type ServedProject,
  type ServedRepositories,
  searchGuides,
  type UiOptions,
} from "../../../src/ask/index.ts"
import { hasField, version } from "../../../src/base/index.ts"
import { loadMemories, type SkippedPath } from "../../../src/context/index.ts"
import {
  choice,
  fromQuery,
  loadClients,
  loadReport,
  loadSetup,
  loadSetupJson,
  RANKED_MODES,
  READ,
  RECALL,
  required,
  SEARCH,
  SYMBOL,
  searchRequest,
  whole,
  without,
} from "../../../src/doors/index.ts"
import { loadTeamClient } from "../../../src/index/index.ts"
import { knowledgePath, loadMemorySources, loadRecall, type MemoryHandle } from "../../../src/memory/index.ts"
import { TOKEN_KINDS } from "../../../src/parse/index.ts"
import { DRAWN_RELATIONS, graphFor, loadCodeLog } from "../../../src/symbols/index.ts"
import { blame } from "./blame.ts"
import { codeLines } from "./code-lines.ts"
import { codeChanges, mapData, type ProjectUses } from "./map-data.ts"
import { mapPage } from "./page-files.ts"
import { type CodePlaces, QUESTION, searchAnswer, searchFacets } from "./search.ts"

/** Context of the page's requests. */
export type UiContext = CodePlaces & {
  readonly project: ServedProject
  /** Other repositories, which the page asks and does not fetch. */
  readonly others: ServedRepositories
  readonly memory: MemoryHandle
  readonly uses: ProjectUses
  readonly options: Pick<UiOptions, "editor">
}

type ReadRoute<Place> = (place: Place, query: URLSearchParams, signal: AbortSignal) => Promise<object>

/** Maximum lines of a result or of a file in one answer. */
const MAX_LINES = 2000
/** Maximum notes about a file in one answer. */
const MAX_NOTES = 100

const number = (min: number, max: number) => z.coerce.number().int().min(min).max(max)
const WHY_NOT = {
  ...without(QUESTION, "repository"),
  mode: choice(RANKED_MODES, { usual: "hybrid" }),
  why_not: required(SEARCH.why_not),
}
const FILE = without(READ, "team", "start_column", "max_tokens")
const SYMBOL_FIELDS = without(SYMBOL, "team")
const GRAPH = {
  ...without(SYMBOL_FIELDS, "repository"),
  relation: choice(DRAWN_RELATIONS, { flag: "RELATION", usual: "neighbourhood" }),
  limit: whole([1, 200], { flag: "LIMIT", usual: 50 }),
}
const RECALL_FIELDS = without(RECALL, "team")
const HELP = z.strictObject({ q: z.string().max(1000).default("") })
const HISTORY = z.strictObject({ what: z.string().min(1).max(4096) })
const NOTES = z.strictObject({ path: z.string().min(1).max(4096) })
const FILES = z.strictObject({ after: z.string().max(4096).default(""), limit: number(1, 1000).default(500) })
const repository = z.string().min(1).max(4096).optional()
const SKIPPED = z.strictObject({ reason: z.string().max(200).optional(), repository })
const MAP = z.strictObject({ memories: z.enum(["true"]).optional() })
const CHANGES = z.strictObject({ since: z.string().min(1).max(1000) })
const MARKS = z.strictObject({
  since: CHANGES.shape.since.optional(),
  symbol: z.string().min(1).max(1000).optional(),
})
const CALLS = z.strictObject({ limit: number(1, 1000).default(200), offset: number(0, 100_000).default(0) })
const REPORT = z.strictObject({ days: number(1, 30).default(30), seconds: number(0, 60).default(0) })
const LOG = z.strictObject({ lines: number(1, 2000).default(200), repository })
const COMPLETE = z.strictObject({
  of: z.enum(["path", "symbol", "language"]),
  typed: z.string().max(1000).default(""),
})

/** The requests that need no open project, so that a team's node answers them, too. */
export const CODE_READS: Readonly<Record<string, ReadRoute<CodePlaces>>> = {
  "/api/search": searchAnswer,
  "/api/facets": searchFacets,
  "/api/help": async ({ commands }, query) => {
    const { q } = parseAs(HELP, Object.fromEntries(query))
    return { results: q.trim() === "" ? [] : await searchGuides(q, 10, commands) }
  },
  "/api/file": async ({ source }, query) => {
    const { path, repository, start_line: start = 1, end_line: end } = fromQuery(FILE, query)
    const endLine = Math.min(end ?? Number.POSITIVE_INFINITY, start + MAX_LINES - 1)
    const { text, ...file } = await source(repository).read({ path, startLine: start, endLine })
    return { ...file, lines: await codeLines(file.language, text, file.start_line) }
  },
  "/api/symbol": async ({ source }, query, signal) => {
    const { repository, ...request } = fromQuery(SYMBOL_FIELDS, query)
    return source(repository).symbol(request, { signal })
  },
}

/** Requests that change nothing, by path; docs/ui.md describes them. */
export const READS: Readonly<Record<string, ReadRoute<UiContext>>> = {
  ...CODE_READS,
  "/api/project": async ({ project, others, options: { editor } }) => {
    const { root } = project
    const { isLoggedIn } = await loadTeamClient()
    const repositories = others.status().repositories.map(({ repository }) => repository)
    const facts = { version, root, name: basename(root), editor, token_kinds: TOKEN_KINDS }
    return { ...facts, repositories, has_team: isLoggedIn() }
  },
  "/api/status": ({ project }) => project.status(),
  "/api/why-not": async ({ project }, query, signal) => {
    const { why_not: path, ...question } = fromQuery(WHY_NOT, query)
    return project.whyNot({ ...searchRequest(question), query: question.query }, path, signal)
  },
  "/api/history": async ({ project }, query, signal) => {
    const { what } = parseAs(HISTORY, Object.fromEntries(query))
    const { codeLog } = await loadCodeLog()
    const options = { refresh: false, signal }
    return project.use((opened) => codeLog(opened, { what, limit: 20 }, options, async () => []))
  },
  "/api/blame": async ({ project }, query) => {
    const { path, start_line: first = 1, end_line: last } = fromQuery(without(FILE, "repository"), query)
    return blame(project, path, [first, Math.min(last ?? Number.POSITIVE_INFINITY, first + MAX_LINES - 1)])
  },
  "/api/notes": async ({ memory }, query) => {
    const { path } = parseAs(NOTES, Object.fromEntries(query))
    // A page that shows a file creates no memory.
    if (!existsSync(knowledgePath())) return { notes: [], has_more: false }
    const { memoriesAbout } = await loadMemories()
    const found = await memory.use((opened) => memoriesAbout(opened, [path], [], MAX_NOTES + 1))
    return { notes: found.slice(0, MAX_NOTES), has_more: found.length > MAX_NOTES }
  },
  "/api/files": async ({ project }, query) => {
    const { after, limit } = parseAs(FILES, Object.fromEntries(query))
    return { files: project.files(after, limit) }
  },
  "/api/skipped": async ({ project }, query) => {
    const { reason, repository } = parseAs(SKIPPED, Object.fromEntries(query))
    const skipped = await (repository === undefined
      ? project.skipped(reason)
      : skippedElsewhere(repository, reason))
    const counts = Map.groupBy(skipped, (each) => each.reason)
    return {
      skipped: skipped.slice(0, 5000),
      total: skipped.length,
      reasons: Object.fromEntries([...counts].map(([name, all]) => [name, all.length])),
    }
  },
  "/api/repositories": async ({ others }) => others.status(),
  "/api/recall": async ({ memory }, query) => {
    const request = fromQuery(RECALL_FIELDS, query)
    const { recall } = await loadRecall()
    return memory.use((opened) => recall(opened, request))
  },
  "/api/map": async ({ project, memory }, query) => {
    const { memories } = parseAs(MAP, Object.fromEntries(query))
    const { sourceCounts } = await loadMemorySources()
    const isCounted = memories !== undefined && existsSync(knowledgePath())
    const counts = isCounted ? await memory.use(async (opened) => sourceCounts(opened)) : new Map()
    return (await project.codeMap(counts)) ?? { modules: [], files: [], left_out: 0 }
  },
  "/api/uses": async ({ project, uses }) => project.use((opened) => uses.of(opened)),
  "/api/changes": async ({ project }, query) => {
    const { since } = parseAs(CHANGES, Object.fromEntries(query))
    return project.use((opened) => codeChanges(opened, since))
  },
  "/api/map-page": async ({ project, uses }, query, signal) => {
    const marks = parseAs(MARKS, Object.fromEntries(query))
    return project.use(async (opened) => ({
      html: await mapPage(await mapData(opened, marks, signal, uses)),
    }))
  },
  "/api/calls": async ({ project }, query) => {
    const { limit, offset } = parseAs(CALLS, Object.fromEntries(query))
    const { cleanRecord, recordedCalls, recordPath } = await loadRecordedCalls()
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
  "/api/report": async ({ project }, query, signal) => {
    const asked = parseAs(REPORT, Object.fromEntries(query))
    const { reportLines, reportOf } = await loadReport()
    const report = await project.use((opened) => reportOf(opened, { ...asked, signal }))
    return { ...report, lines: reportLines(report) }
  },
  "/api/setup": async () => {
    const [{ planSetup, setupChoice }, { setupJson }, { PARTS }] = await Promise.all([
      loadSetup(),
      loadSetupJson(),
      loadClients(),
    ])
    const choice = setupChoice({ clients: [], parts: new Set(PARTS), isRemoval: false, project: null })
    return setupJson(planSetup(choice), choice, null)
  },
  "/api/log": async (_, query) => {
    const { lines, repository } = parseAs(LOG, Object.fromEntries(query))
    const { lastLogLines } = await loadReadLog()
    const isAsked = repository === undefined ? undefined : hasField("repository", repository)
    return { lines: lastLogLines("server", lines, isAsked)?.lines ?? [] }
  },
  "/api/team": async () => {
    const { isLoggedIn, teamClient, teamLogin } = await loadTeamClient()
    if (!isLoggedIn()) return { team: null }
    const client = teamClient()
    const [status, repositories] = await Promise.all([client.status(), client.repositories()])
    return { team: { url: teamLogin().url, ...status, repositories } }
  },
  "/api/graph": async ({ project }, query, signal) =>
    graphFor((request) => project.symbol(request, { signal }), fromQuery(GRAPH, query)),
  "/api/complete": async ({ project }, query) => {
    const { of, typed } = parseAs(COMPLETE, Object.fromEntries(query))
    return { values: project.complete(of, typed, of === "language" ? 100 : 20) }
  },
}

/** Files and folders of another repository that are not indexed. */
async function skippedElsewhere(name: string, reason: string | undefined): Promise<SkippedPath[]> {
  const [{ configuredRepositories, OpenClones }, { skippedInRepository }] = await Promise.all([
    loadRepositories(),
    loadSeveralSources(),
  ])
  const configured = configuredRepositories()
  using clones = new OpenClones()
  return skippedInRepository(configured, name, reason, (each) => clones.open(each))
}

/** Statistics of the recorded calls of each client, the client with the most calls first. */
export function byClient(calls: readonly RecordedCall[]) {
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
