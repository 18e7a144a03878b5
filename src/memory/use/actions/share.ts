/*
 * Sharing of entries with a team: through `.aman-memory/`, which is committed with the project, or through the team's
 * server. `sync` first lists the changes of others; a person accepts them with the digest of that
 * list, so that nothing is accepted that was not shown.
 */

import { AmanError, plural, userDataDir } from "../../../base/index.ts"
import { teamNameOf } from "../../../index/index.ts"
import { type JsonFields, jsonFields } from "../../entries/entry-fields.ts"
import { remarkText } from "../../formats/imported.ts"
import type { SharedChange } from "../../formats/shared-changes.ts"
import { createIds } from "../../log/ids.ts"
import { type KnownProject, knownProjects, linkProject, repositoryOf } from "../../projects/projects.ts"
import { SHARED_FOLDER, stopSharing } from "../../sharing/shared-folder.ts"
import { type SyncReport, sharingState, startSharing, syncShared } from "../../sharing/sync-shared.ts"
import {
  hasTeamMemory,
  openOutbox,
  refusals,
  SHARE_TIMEOUT_MS,
  shareEntries,
  syncTeamMemory,
} from "../../sharing/team-copy.ts"
import { headline } from "../../views/views.ts"
import { resolveOwnEntryName } from "../entries/entry-names.ts"
import { entryCount } from "../entries/entry-output.ts"
import type { Memory } from "../memory.ts"
import { pendingNotice, unusedSharedFolder, userNames } from "../pending-changes.ts"
import type { KnowledgeAnswer } from "./answer.ts"

/** Sharing with a team, and the actions on the whole store: list projects, link a folder, rebuild the tables. */
export const handlers = {
  projects,
  link,
  rebuild,
  /** Turns sharing through `.aman-memory/` on or off. */
  share: (memory: Memory, args: ShareArgs) => {
    const [first, ...others] = args.how ?? []
    const isSwitch = first === undefined || (others.length === 0 && ["on", "off"].includes(first))
    if (isSwitch && args.team === undefined) return share(memory, requiredRoot(memory), args.dry_run, first)
    return shareWithTeam(memory, { ...args, how: args.how ?? [] })
  },
  /** Synchronises in both directions. */
  sync: async (memory: Memory, args: SyncArgs) => {
    const team = hasTeamMemory() && args.dry_run !== true ? await syncWithTeam() : null
    if (team === null) return syncFolder(memory, requiredRoot(memory), args)
    const isShared =
      memory.root !== null && sharingState(userDataDir(), memory.root, memory.project()) !== null
    const folder = isShared ? await syncFolder(memory, requiredRoot(memory), args) : null
    const data = { ...(folder?.data ?? { held: [] }), team: team.data }
    return { data, text: [folder?.text ?? [], team.text].flat().join("\n"), found: true }
  },
}

type ShareArgs = {
  /** "on" or "off", or the entries to share with the team's server. */
  readonly how?: readonly string[] | undefined
  /** Readers of the entries that are shared with the team's server: "readers", "private" or the name of a team. */
  readonly team?: string | undefined
  readonly dry_run?: boolean | undefined
}

type SyncArgs = {
  /** Ids of the changes to receive; absent: all. */
  readonly ids?: readonly string[] | undefined
  /** True: a person has reviewed the changes and accepts them. */
  readonly accept?: boolean | undefined
  /**
   * Value of `digest` in the list of changes that the person has reviewed; the call fails if the changes differ since
   * then.
   */
  readonly seen?: string | undefined
  readonly dry_run?: boolean | undefined
  readonly accept_purges?: boolean | undefined
}

function requiredRoot({ root }: Memory): string {
  if (root === null) throw outsideOfProjects("share")
  return root
}

function outsideOfProjects(act: "share" | "link"): AmanError {
  return new AmanError("NO_ROOT", `this folder is not in a project, so there is nothing to ${act}`, {
    hint: "set the project with --root DIR",
  })
}

async function share(memory: Memory, root: string, dry_run: boolean | undefined, how: string | undefined) {
  const dataDir = userDataDir()
  if (how === "on") {
    const project = await memory.ownProject()
    const was = sharingState(dataDir, root, project)
    startSharing(dataDir, root, { project: project!, newId: createIds(Date.now) })
    const { data, text } = await syncFolder(memory, root, { dry_run })
    if (dry_run && was === null) stopSharing(dataDir, root)
    if (dry_run) return { data: { is_shared: was !== null, ...data }, text, found: true }
    const next = `commit ${SHARED_FOLDER}/, and run aman memory sync after remembering or pulling`
    return { data: { is_shared: true, ...data }, text: `${text}\n${next}`, found: true }
  }
  if (how === "off") {
    stopSharing(dataDir, root)
    unshareWithTeam(memory)
  }
  const state = sharingState(dataDir, root, memory.project())
  const data = { is_shared: state !== null, held: state?.held ?? 0 }
  if (state === null) {
    const unused = unusedSharedFolder(root)
    const text =
      unused === null
        ? "memories of this project are not shared; to share them: aman memory share on"
        : pendingNotice(unused)
    return { data, text, found: true }
  }
  const held = state.held === 0 ? "" : `; ${plural(state.held, "change")} to review: aman memory sync`
  return { data, text: `shared in ${SHARED_FOLDER}/${held}`, found: true }
}

async function syncFolder(
  memory: Memory,
  root: string,
  { ids, accept = false, seen, dry_run = false, accept_purges = false }: SyncArgs,
): Promise<KnowledgeAnswer> {
  if (ids !== undefined && !accept) {
    throw new AmanError("USAGE", "sync takes ids only with --accept", {
      hint: `to accept changes: aman memory sync --accept ${ids.join(" ")}`,
    })
  }
  const project = await memory.ownProject()
  const report = syncShared(memory.knowledge, root, {
    project: project!,
    now: new Date().toISOString(),
    dataDir: userDataDir(),
    users: () => userNames(memory.knowledge, userDataDir(), project!),
    dryRun: dry_run,
    acceptPurges: accept_purges,
    ...(accept && { accept: ids ?? "all" }),
    ...(seen !== undefined && { seen }),
  })
  if (report === null) {
    const message = unusedSharedFolder(root)?.message ?? "memories of this project are not shared"
    throw new AmanError("USAGE", message, { hint: "run: aman memory share on" })
  }
  const listed = new Set([...report.taken, ...report.held].map(({ subject }) => subject))
  const unknown = accept ? (ids ?? []).filter((id) => !listed.has(id)) : []
  const text = [syncText(report, dry_run), ...unknown.map((id) => `  no change of ${id} is held`)].join("\n")
  return { data: { dry_run, ...syncData(report), unknown }, text, found: true }
}

function syncData({ received, taken, held, ...report }: SyncReport) {
  const shown = (change: SharedChange) =>
    jsonFields({ ...change, takesKey: change.takesKey && jsonFields(change.takesKey) })
  return { received, changes: taken.map(shown), held: held.map(shown), ...jsonFields(report) }
}

function syncText({ taken, held, sent, purges, remarks }: SyncReport, isDry: boolean): string {
  const will = isDry ? "would be " : ""
  const lines = [
    `${plural(taken.length, "change")} ${will}accepted, ${plural(sent, "event")} ${will}written`,
    ...taken.flatMap(changeLines),
  ]
  if (held.length > 0) {
    const why = `${held.length === 1 ? "it was" : "they were"} written by others`
    lines.push(
      `${plural(held.length, "change")} held and not used until accepted, because ${why}`,
      ...held.flatMap(changeLines),
      "to accept all: aman memory sync --accept; to accept some: aman memory sync --accept ID…",
    )
  }
  for (const id of purges) lines.push(`  ${id} was purged by others; to purge it here: --accept-purges`)
  return [...lines, ...remarks.map((remark) => `  ${remarkText(remark)}`)].join("\n")
}

const CHANGE_WORDS: Partial<Record<SharedChange["what"], string>> = {
  ...{ changed: "revised", ended: "no longer holds" },
}

/** Lines describing a change. Each text is quoted, so that it cannot look like a line of this list. */
function changeLines(change: SharedChange): string[] {
  const { subject, of, what, text, topic, author, takesKey, differences } = change
  const parts = [CHANGE_WORDS[what] ?? what, of === "entry" ? "" : of, subject, quotedValue(text)]
  if (topic !== null) parts.push(`in ${quotedValue(topic)}`)
  if (author !== null) parts.push(`by ${quotedValue(author)}`)
  if (change.isClaimed) parts.push("(claimed: not written on this machine)")
  if (change.isYours) parts.push("(yours)")
  if (change.isAmbiguous) parts.push("(exists in two versions: this is the later one)")
  const lines = [`  ${parts.filter(Boolean).join(" ")}`]
  if (takesKey !== null) {
    const from = `${takesKey.isYours ? "your entry" : "entry"} ${takesKey.from} ${quotedValue(takesKey.text)}`
    lines.push(`    takes the key ${quotedValue(takesKey.key)} from ${from}`)
  }
  for (const { field, before, after } of differences)
    lines.push(`    ${field}: ${quotedValue(before)} → ${quotedValue(after)}`)
  return lines
}

function quotedValue(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(headline(value, 200))
  return headline(JSON.stringify(value), 200)
}

function projects(memory: Memory, _args: object): KnowledgeAnswer {
  const thisProject = memory.project()
  const projects = knownProjects(memory.knowledge.projects)
  const shown = projects.map((project) => ({
    ...jsonFields(project),
    is_here: project.id === thisProject,
    entries: memory.knowledge.list({ projects: [project.id] }, { limit: 0 }).total,
    paths: project.paths.map(jsonFields),
  }))
  const { notices } = memory
  return {
    data: { projects: shown, notices },
    text: [...shown.map(projectLine), ...notices].join("\n"),
    found: shown.length > 0,
  }
}

type ProjectOutput = JsonFields<Pick<KnownProject, "id" | "name" | "remotes">> & {
  readonly is_here: boolean
  readonly entries: number
  readonly paths: readonly JsonFields<KnownProject["paths"][number]>[]
}

function projectLine({ id, name, is_here, entries, paths, remotes }: ProjectOutput): string {
  const places = paths.map(({ path, is_there }) => (is_there ? path : `${path} (gone)`))
  return `${is_here ? "* " : "  "}${id}  ${name}: ${entryCount(entries)}; ${[...places, ...remotes].join(", ")}`
}

/** Links this folder to a project. */
async function link(memory: Memory, { to }: { readonly to: string }): Promise<KnowledgeAnswer> {
  const { knowledge, root } = memory
  if (root === null) throw outsideOfProjects("link")
  const from = memory.project()
  const linked = await linkProject(knowledge, { root, from, to })
  return {
    data: { root, project: linked.project, entries: linked.entries, entities: linked.entities },
    text: `${root} now belongs to ${linked.project.name}; moved ${entryCount(linked.entries)} and ${linked.entities} entities`,
    found: true,
  }
}

function rebuild({ knowledge }: Memory, _args: object): KnowledgeAnswer {
  const rebuilt = knowledge.rebuild()
  const { events, entries, entities, relations, differing } = rebuilt
  const found = `${entries} entries, ${entities} entities and ${relations} relations from ${events} events`
  const difference =
    differing.length === 0 ? "unchanged" : `${differing.length} tables differed: ${differing.join(", ")}`
  return { data: rebuilt, text: `${found}; ${difference}`, found: true }
}

const USUAL_VISIBILITY = "readers"

/** Shares entries, or with "on" all of this project, through the team's server, and sends them. */
async function shareWithTeam(
  memory: Memory,
  { how, team = USUAL_VISIBILITY }: { readonly how: readonly string[]; readonly team?: string | undefined },
): Promise<KnowledgeAnswer> {
  const [first] = how
  if (first === undefined || first === "off") {
    throw new AmanError("USAGE", "--team says with whom entries are shared", {
      hint: "for example: aman memory share ID --team readers, or aman memory share on --team readers",
    })
  }
  const repository = teamRepository(memory)
  if (first === "on") {
    const project = await memory.ownProject()
    if (project === null) throw new AmanError("NO_ROOT", "this folder is not in a project")
    using outbox = openOutbox()
    outbox.shareProject(project, team, repository)
  } else {
    const ids = how.map((name) => resolveOwnEntryName(memory, name))
    markForTeam(memory, ids, team)
  }
  const { data, text } = await syncWithTeam()
  return { data: { visible_to: team, repository, team: data }, text, found: true }
}

/** Shares these entries from the next synchronisation on. Throws USAGE, and TEAM without a login. */
export function markForTeam(memory: Memory, ids: readonly string[], visibleTo: string): void {
  const entries = memory.knowledge.get(ids)
  const elsewhere = entries.find(({ project }) => project !== null && project !== memory.project())
  if (elsewhere !== undefined)
    throw new AmanError("USAGE", `${elsewhere.id} belongs to another project`, {
      hint: "share it from a folder of that project",
    })
  const repository = teamRepository(memory)
  const byRepository = Map.groupBy(entries, ({ project }) => (project === null ? null : repository))
  for (const [repository, some] of byRepository) {
    const own = some.map(({ id }) => id)
    shareEntries(memory.knowledge, own, { visibleTo, repository })
  }
}

/** Stops sharing entries of this project; those that are shared already stay shared. */
function unshareWithTeam(memory: Memory): void {
  const project = memory.project()
  if (project === null || !hasTeamMemory()) return
  using outbox = openOutbox()
  outbox.unshareProject(project)
}

/** Sends and receives. Without the server nothing is lost: entries that could not be sent are sent the next time. */
async function syncWithTeam(): Promise<{ readonly data: object; readonly text: string }> {
  try {
    const report = await syncTeamMemory(SHARE_TIMEOUT_MS)
    const { sent, received, isBusy } = report
    const done = isBusy
      ? "another aman is exchanging memories with the team's server"
      : `entries sent to the team's server: ${sent}, events received: ${received}`
    return { data: jsonFields(report), text: [done, ...refusals(report.refused)].join("\n") }
  } catch (error) {
    if (!(error instanceof AmanError && error.code === "TEAM")) throw error
    const text = `${error.message}; entries are sent with the next aman memory sync`
    return { data: { sent: 0, received: 0, refused: [], error: error.message }, text }
  }
}

function teamRepository({ root }: Memory): string | null {
  const repository = root === null ? null : repositoryOf(root)
  return repository === null ? null : teamNameOf(repository.workTree)
}
