import { z } from "zod"
import {
  type ListedRepositories,
  loadListedRepositories,
  type RepositoriesStatus,
  type RepositoryStatus,
  type SyncedRepository,
  type SyncReport,
} from "../../../ask/index.ts"
import { AmanError, type StatusAnswer } from "../../../base/index.ts"
import { type ListedProject, loadStatusProject, type SkippedPath } from "../../../context/index.ts"
import type { RemovedIndex } from "../../../index/index.ts"
import { AGENT_ACTIONS } from "../../../memory/index.ts"
import { inline } from "../../../text/index.ts"
import { STATUS as STATUS_FIELDS } from "../../verbs/code.ts"
import { choice, custom, text } from "../../verbs/fields.ts"
import type { Session } from "../session/session.ts"
import manageDescription from "./manage.md" with { type: "text" }
import projectsDescription from "./projects.md" with { type: "text" }
import repositoriesDescription from "./repositories.md" with { type: "text" }
import statusDescription from "./status.md" with { type: "text" }
import type { ToolBox } from "./tool-box.ts"
import { MAY_REMOVE, READS_ONLY, toolResult, WRITES } from "./tool-result.ts"

const TARGETS = ["status", "log", "knowledge", "repositories", "projects"] as const

const MANAGE_FIELDS = {
  tool: text(100, { text: `${TARGETS.join(", ")}; for help, any tool` }),
  action: text(100, { text: 'What to do; "help": the arguments of the tool' }),
  arguments: custom<Readonly<Record<string, unknown>>>(
    // The properties are examples, because some clients refuse an object without properties.
    {
      type: "object",
      additionalProperties: {},
      properties: { id: { type: "string" }, topic: { type: "string" } },
    },
    { text: "Its other arguments; also taken beside action" },
  ),
}

/** Registers `manage`, which calls the tools that are not listed by default. */
export function registerManage(tools: ToolBox): void {
  const config = {
    title: "Manage memories, index, repositories",
    description: manageDescription,
    usual: ["tool", "action", "arguments"] as const,
    fields: MANAGE_FIELDS,
    isOpen: true,
    outputSchema: z.looseObject({}),
    annotations: MAY_REMOVE,
    hasView: true,
  }
  tools.register("manage", config, async ({ tool, action, arguments: nested, ...beside }, call) => {
    const target = tool?.trim() || targetOf(action)
    const help = action === "help" || target === "manage" ? tools.help(target) : null
    if (help !== null) return { content: [{ type: "text", text: help }], structuredContent: { help } }
    if (action !== "help" && isTarget(target)) {
      const isNamedByAction = tool === undefined && isTarget(action ?? "")
      const rest = action === undefined || isNamedByAction ? {} : { action }
      return tools.call(target, { ...rest, ...beside, ...nested }, call)
    }
    return toolResult(() => {
      throw new AmanError("USAGE", `manage does not know the tool ${JSON.stringify(target)}`, {
        hint: `tools are ${TARGETS.join(", ")}; others are called by themselves`,
      })
    })
  })
}

function isTarget(name: string): name is (typeof TARGETS)[number] {
  return TARGETS.some((target) => target === name)
}

/** The tool to which an action belongs, for a call that names no tool. The action may itself be a tool's name. */
function targetOf(action: string | undefined): string {
  if (action === undefined || action === "help") return "manage"
  if (isTarget(action) || !AGENT_ACTIONS.some((each) => each === action)) return action
  return "knowledge"
}

const COUNTS = z.record(z.string(), z.number())

const STATUS = z.looseObject({
  root: z.string(),
  project: z.looseObject({ type: z.string(), source_folders: z.array(z.string()) }),
  state: z.enum(["missing", "indexing", "ready"]),
  files: z.number(),
  chunks: z.number(),
  languages: COUNTS.describe("Files per language"),
  skipped: COUNTS.describe("Files left out, by reason"),
  ranked_down: COUNTS.describe("Indexed files that rank lower, by kind"),
  encodings: z
    .record(z.string(), z.object({ files: z.number(), guessed: z.number(), examples: z.array(z.string()) }))
    .optional()
    .describe(
      "Files that are not UTF-8, by encoding; guessed: how many have it by a guess, examples some of these",
    ),
  chunkers: z
    .record(z.string(), z.object({ files: z.number(), failed: z.number() }))
    .optional()
    .describe("Files divided by the user's chunker program, and files for which it failed"),
  generation: z.number(),
  index_bytes: z.number(),
  embedding: z.looseObject({
    provider: z.string(),
    model: z.string(),
    dimensions: z.number(),
    share: z.number().describe("Share of the chunks that have a vector"),
    other: z
      .looseObject({
        provider: z.string(),
        model: z.string(),
        dimensions: z.number(),
        share: z.number(),
        serves: z.boolean().describe("True if queries use it; otherwise they use the built-in vectors"),
      })
      .nullable()
      .describe("The configured embedder, besides the built-in one"),
    encoded: z.number().optional().describe("Share of the files that the sentence encoder has read"),
  }),
  memory: z.looseObject({ limit_bytes: z.number(), resident_bytes: z.number() }),
  progress: z.looseObject({ phase: z.string(), done: z.number(), total: z.number() }).nullable(),
  leader: z
    .enum(["this process", "another process", "nobody", "unknown"])
    .describe("Which process watches the project and updates the index"),
  pending: z.number().nullable().describe("Changed files that are not indexed yet; null: not counted"),
  last_indexed: z.string().nullable().describe("When the index last changed"),
  notices: z.array(z.string()).describe("Current degradations, each with its remedy"),
})

const STATUS_OUTPUT = STATUS.partial().extend({
  skipped_files: z
    .array(z.object({ path: z.string(), reason: z.string() }))
    .optional()
    .describe("Only if they were asked for, then without the other fields; the first of skipped_count"),
  skipped_count: z.number().optional(),
})

export function registerStatus(tools: ToolBox, session: Session): void {
  const config = {
    title: "State of the index",
    description: statusDescription,
    usual: [] as const,
    fields: STATUS_FIELDS,
    outputSchema: STATUS_OUTPUT,
    annotations: READS_ONLY,
  }
  tools.register("status", config, ({ skipped }) =>
    toolResult(async () => {
      if (skipped !== undefined && skipped !== false) {
        const reason = skipped === true ? undefined : skipped
        return skippedAnswer(await session.withProject((project) => project.skipped(reason)))
      }
      const own = await session.withProject((project) => project.status())
      const status = { ...own, notices: [...own.notices, ...(await session.folderNotices())] }
      return { text: statusText(status), structured: status }
    }),
  )
}

function skippedAnswer(all: readonly SkippedPath[]) {
  const shown = all.slice(0, 200)
  const lines = [...Map.groupBy(shown, ({ reason }) => reason)].map(
    ([reason, files]) => `${reason}: ${files.map(({ path }) => inline(path)).join(", ")}`,
  )
  const more = all.length - shown.length
  if (more > 0) lines.push(`… ${more} more; pass one of the reasons of status as "skipped"`)
  return {
    text: lines.join("\n") || "Nothing is skipped.",
    structured: { skipped_files: shown, skipped_count: all.length },
  }
}

function statusText(status: StatusAnswer): string {
  const { root, project, state, files, chunks, progress, embedding, notices } = status
  const lines = [
    `${inline(root)}: ${project.type}${project.source_folders.length > 0 ? `, sources in ${project.source_folders.map(inline).join(", ")}` : ""}`,
    `index ${state}: ${files} files, ${chunks} chunks, generation ${status.generation}, last indexed ${status.last_indexed ?? "never"}`,
  ]
  lines.push(`watched by ${status.leader}${pendingText(status)}`)
  if (progress) lines.push(`now: ${progress.phase} ${progress.done} of ${progress.total}`)
  lines.push(`languages: ${largestCounts(status.languages)}`, `skipped: ${largestCounts(status.skipped)}`)
  lines.push(
    `vectors: ${embedding.provider} ${embedding.model}, ${Math.floor(embedding.share * 100)} % of the chunks`,
  )
  for (const [program, { files, failed }] of Object.entries(status.chunkers ?? {}))
    lines.push(`chunker: ${inline(program)} divided ${files} files, failed for ${failed}`)
  const { other } = embedding
  if (other !== null)
    lines.push(
      `model: ${other.provider} ${other.model}, ${Math.floor(other.share * 100)} % of the chunks, ${other.serves ? "answers" : "the built-in vectors serve meanwhile"}`,
    )
  return [...lines, ...notices.map((notice) => `Note: ${notice}`)].join("\n")
}

function pendingText({ state, pending }: StatusAnswer): string {
  if (state === "missing" || pending === 0) return ""
  return pending === null ? "" : `; ${pending} files changed but not indexed yet`
}

function largestCounts(counts: Readonly<Record<string, number>>): string {
  const entries = Object.entries(counts).sort((a, b) => b[1] - a[1])
  return entries.map(([name, count]) => `${name} ${count}`).join(", ") || "none"
}

const PROJECTS_FIELDS = {
  action: choice(["list", "remove"], { text: "Show the index of this project, or remove it", usual: "list" }),
  root: text(4096, { text: "To remove: the project's folder, as in list" }),
}

const PROJECTS_OUTPUT = z.looseObject({
  projects: z
    .array(
      z.looseObject({
        root: z.string(),
        index_dir: z.string(),
        state: z.enum(["ready", "gone"]).describe("gone: the folder is deleted, only its index exists"),
        index_bytes: z.number(),
        created: z.string(),
        last_changed: z.string().nullable(),
      }),
    )
    .describe("This project, if it is indexed"),
  removed: z.array(
    z.looseObject({ root: z.string(), dir: z.string(), files: z.number(), bytes: z.number() }),
  ),
})

/** Other projects are nothing to a model that works in this one, so only this one is listed and can be removed. */
export function registerProjects(tools: ToolBox, session: Session): void {
  const config = {
    title: "Index of this project",
    description: projectsDescription,
    usual: ["action", "root"] as const,
    fields: PROJECTS_FIELDS,
    outputSchema: PROJECTS_OUTPUT,
    annotations: { ...WRITES, destructiveHint: true },
  }
  tools.register("projects", config, ({ action, root }) =>
    toolResult(async () => {
      const { listProjects, removeProject } = await loadStatusProject()
      const own = await session.withProject(async (project) => project.root)
      const removed = action === "remove" ? removeProject(requiredRoot(root), "/", own) : []
      const structured = { projects: listProjects(own), removed }
      return { text: projectsText(structured), structured }
    }),
  )
}

function requiredRoot(root: string | undefined): string {
  if (root) return root
  throw new AmanError("USAGE", "root is missing", { hint: "give the project's folder as in list" })
}

function projectsText(answer: {
  readonly projects: readonly ListedProject[]
  readonly removed: readonly RemovedIndex[]
}): string {
  const lines = answer.removed.map(
    ({ root, files, bytes }) => `Removed the index of ${inline(root)}: ${files} files, ${bytes} bytes.`,
  )
  for (const { root, state, index_bytes, last_changed } of answer.projects) {
    lines.push(`${inline(root)}: ${state}, ${index_bytes} bytes, changed ${last_changed ?? "never"}`)
  }
  return lines.join("\n") || "This project is not indexed."
}

// Max time in ms to wait for a sync. A first clone may take longer, but clients give up on a call after a minute.
const REPLY_TIMEOUT_MS = 30_000

const REPOSITORIES_FIELDS = {
  action: choice(["list", "sync"], { text: "Show all, or update them from their remotes", usual: "list" }),
  repository: text(1000, { text: "Only those whose name contains this (default: all)" }),
}

type TeamRepository = ListedRepositories["repositories"][number]

const TIME = z.string().nullable()

const REPOSITORIES_OUTPUT = z.looseObject({
  last_sync: TIME,
  syncing: z.boolean().nullable().describe("A sync is running"),
  repositories: z.array(
    z.looseObject({
      repository: z.string().describe("Name for search and read"),
      url: z.string(),
      state: z.enum(["ready", "pending", "indexing", "empty", "failed", "unlisted"]),
      searchable: z.boolean(),
      stale: z.boolean().describe("Its remote may have newer commits"),
      commit: z.string().nullable(),
      files: z.number(),
      last_pull: TIME,
      error: z.string().nullable(),
      error_at: TIME,
    }),
  ),
  team: z
    .array(
      z.looseObject({
        repository: z.string().describe("Name for search and read"),
        commit: z.string(),
        files: z.number(),
        published_at: z.string(),
        error: z.string().nullable(),
      }),
    )
    .describe("Repositories of the team's server, if the user is logged in to one"),
  synced: z
    .array(z.looseObject({ repository: z.string(), outcome: z.string(), changed: z.number() }))
    .nullable()
    .describe("What the sync did; null without a sync, or while it runs"),
  notices: z.array(z.string()),
})

export function registerRepositories(tools: ToolBox, session: Session): void {
  const config = {
    title: "Other repositories",
    description: repositoriesDescription,
    usual: ["action", "repository"] as const,
    fields: REPOSITORIES_FIELDS,
    outputSchema: REPOSITORIES_OUTPUT,
    annotations: { ...WRITES, openWorldHint: true },
  }
  tools.register("repositories", config, ({ action, repository: named }, call) =>
    toolResult(() =>
      session.withRepositories(async (served) => {
        const repository = named?.trim() || "*"
        const report = action === "sync" ? await reportOrNull(served.sync(repository, call.signal)) : null
        const status = served.status()
        const shown = matching(status, repository)
        const { listedRepositories } = await loadListedRepositories()
        const team = await listedRepositories(repository)
        const structured = {
          ...{ ...status, repositories: shown, team: team.repositories },
          synced: report?.repositories ?? null,
        }
        const notices = [...status.notices, ...team.notices, ...(report?.notices ?? [])]
        const isStillSyncing = action === "sync" && report === null
        if (isStillSyncing) notices.push("the sync continues in the background: list shows its progress")
        return {
          text: repositoriesText(status, { shown, team: team.repositories }, report, notices),
          structured: { ...structured, notices },
        }
      }),
    ),
  )
}

/**
 * The report of the sync; null if the sync takes longer than the limit. It then continues in the background, and its
 * failure is shown by the status.
 */
async function reportOrNull(sync: Promise<SyncReport>): Promise<SyncReport | null> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), REPLY_TIMEOUT_MS)
  })
  sync.catch(() => {})
  try {
    return await Promise.race([sync, timeout])
  } finally {
    clearTimeout(timer)
  }
}

function matching({ repositories }: RepositoriesStatus, wanted: string): RepositoryStatus[] {
  const text = wanted.toLowerCase()
  return repositories.filter(({ repository, url }) => {
    return text === "*" || repository.toLowerCase().includes(text) || url.toLowerCase().includes(text)
  })
}

function repositoriesText(
  { syncing }: RepositoriesStatus,
  { shown, team }: { readonly shown: readonly RepositoryStatus[]; readonly team: readonly TeamRepository[] },
  report: SyncReport | null,
  notices: readonly string[],
): string {
  const lines = (report?.repositories ?? []).map(syncedText)
  if (shown.length === 0 && team.length === 0) {
    lines.push("No other repository is configured. The user can add one: aman repos add URL")
  }
  lines.push(...shown.map(repositoryText), ...team.map(teamRepositoryText))
  if (syncing) lines.push("A sync is running.")
  return [...lines, ...notices.map((notice) => `Note: ${notice}`)].join("\n")
}

function syncedText({ repository, outcome, changed, removed, error }: SyncedRepository): string {
  const what = error === null ? `${changed} files indexed, ${removed} removed` : inline(error)
  return `Synced ${inline(repository)}: ${outcome}, ${what}`
}

function teamRepositoryText({ repository, files, published_at, error }: TeamRepository): string {
  const failure = error === null ? "" : `, its last update failed: ${inline(error)}`
  return `${inline(repository)}: ${files} files, published ${published_at}${failure}`
}

function repositoryText(each: RepositoryStatus): string {
  const parts = [each.state as string]
  if (each.searchable) parts.push(`${each.files} files`)
  if (each.last_pull !== null) parts.push(`updated ${each.last_pull}`)
  if (each.error !== null) parts.push(`failed at ${each.error_at}: ${inline(each.error)}`)
  return `${inline(each.repository)}: ${parts.join(", ")}`
}
