import { z } from "zod"
import type { RepositoriesStatus, RepositoryStatus } from "../../app/repositories/configured.ts"
import type { SyncedRepository, SyncReport } from "../../app/repositories/sync.ts"
import type { ListedRepositories } from "../../app/team/client/listed-repositories.ts"
import { inline } from "../../text/fence.ts"
import { choice, text } from "../../verbs/fields.ts"
import { toolResult, WRITES } from "../render/tool-result.ts"
import type { Session } from "../session/session.ts"
import description from "./repositories.md" with { type: "text" }
import type { ToolBox } from "./tool-box.ts"

// Max time in ms to wait for a sync. A first clone may take longer, but clients give up on a call after a minute.
const REPLY_TIMEOUT_MS = 30_000

const FIELDS = {
  action: choice(["list", "sync"], { text: "Show all, or update them from their remotes", usual: "list" }),
  repository: text(1000, { text: "Only those whose name contains this (default: all)" }),
}

type TeamRepository = ListedRepositories["repositories"][number]

const TIME = z.string().nullable()

const OUTPUT = z.looseObject({
  enabled: z.boolean(),
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
    description,
    usual: ["action", "repository"] as const,
    fields: FIELDS,
    outputSchema: OUTPUT,
    annotations: { ...WRITES, openWorldHint: true },
  }
  tools.register("repositories", config, ({ action, repository: named }, call) =>
    toolResult(() =>
      session.withRepositories(async (served) => {
        const repository = named?.trim() || "*"
        const report = action === "sync" ? await reportOrNull(served.sync(repository, call.signal)) : null
        const status = served.status()
        const shown = matching(status, repository)
        const { listedRepositories } = await import("../../app/team/client/listed-repositories.ts")
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
  { enabled, syncing }: RepositoriesStatus,
  { shown, team }: { readonly shown: readonly RepositoryStatus[]; readonly team: readonly TeamRepository[] },
  report: SyncReport | null,
  notices: readonly string[],
): string {
  const lines = (report?.repositories ?? []).map(syncedText)
  if (!enabled) lines.push("Other repositories are disabled (repos.enabled).")
  else if (shown.length === 0 && team.length === 0) {
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
