import { AmanError } from "../../../base/errors.ts"
import { userDataDir } from "../../../base/paths.ts"
import { SHARED_FOLDER } from "../../../knowledge/exchange/shared-folder.ts"
import { sharedState } from "../../../knowledge/exchange/shared-state.ts"
import {
  type SyncReport,
  startSharing,
  stopSharing,
  syncShared,
} from "../../../knowledge/exchange/sync-shared.ts"
import { createIds } from "../../../knowledge/ids.ts"
import type { KnowledgeAnswer, KnowledgeCall } from "../calls.ts"
import { counted } from "../counted.ts"
import type { Memory } from "../memory.ts"

type Call = Extract<KnowledgeCall, { action: "share" | "sync" }>

/** Keeps a team in step through a folder that is committed with the project. */
export async function shareCalls(memory: Memory, call: Call): Promise<KnowledgeAnswer> {
  const { root } = memory
  if (root === null) {
    throw new AmanError("NO_ROOT", "there is no project here to share", { hint: "name it with --root DIR" })
  }
  return call.action === "share" ? share(memory, root, call) : sync(memory, root, call)
}

async function share(
  memory: Memory,
  root: string,
  { how, dry_run = false }: Extract<Call, { action: "share" }>,
): Promise<KnowledgeAnswer> {
  const dataDir = userDataDir()
  if (how === "on") {
    const was = sharedState(dataDir, root)
    startSharing(dataDir, root, createIds(Date.now))
    const { data, text } = await sync(memory, root, { dry_run })
    if (dry_run && was === null) stopSharing(dataDir, root)
    if (dry_run) return { data: { is_shared: was !== null, ...data }, text, found: true }
    const next = `commit ${SHARED_FOLDER}/; run aman memory sync after remembering and after pulling`
    return { data: { is_shared: true, ...data }, text: `${text}\n${next}`, found: true }
  }
  if (how === "off") stopSharing(dataDir, root)
  else if (how !== undefined) {
    throw new AmanError("USAGE", `share is on or off, not ${JSON.stringify(how)}`)
  }
  const isShared = sharedState(dataDir, root) !== null
  const said = isShared ? `shared in ${SHARED_FOLDER}/` : "not shared from this folder; aman memory share on"
  return { data: { is_shared: isShared }, text: said, found: true }
}

async function sync(
  memory: Memory,
  root: string,
  { dry_run = false, accept_purges = false }: Omit<Extract<Call, { action: "sync" }>, "action">,
): Promise<KnowledgeAnswer> {
  const project = await memory.ownProject()
  const report = syncShared(memory.knowledge, root, {
    project: project!,
    now: new Date().toISOString(),
    dataDir: userDataDir(),
    dryRun: dry_run,
    acceptPurges: accept_purges,
  })
  if (report === null) {
    throw new AmanError("USAGE", "the knowledge of this project is not shared", {
      hint: "run: aman memory share on",
    })
  }
  return { data: { dry_run, ...shown(report) }, text: syncText(report, dry_run), found: true }
}

function shown({ received, sent, purges, removedLines, remarks }: SyncReport) {
  return { received, sent, purges, removed_lines: removedLines, remarks }
}

function syncText({ received, sent, purges, remarks }: SyncReport, isDry: boolean): string {
  const will = isDry ? "would be " : ""
  const lines = [`${counted(received.length, "event")} ${will}taken in, ${sent} ${will}written`]
  for (const { at, subject, change } of received) {
    const text = change.type === "stored" ? `: ${change.fields.text.split("\n", 1)[0]}` : ""
    lines.push(`  ${at.slice(0, 10)} ${change.type} ${subject}${text}`)
  }
  for (const id of purges) lines.push(`  ${id} was purged by others; --accept-purges does so here`)
  for (const { file, line, message } of remarks)
    lines.push(`  ${file}${line === null ? "" : `:${line}`}: ${message}`)
  return lines.join("\n")
}
