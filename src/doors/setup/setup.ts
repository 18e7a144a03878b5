/*
 * Plans what setup writes or removes. `planSetup`: 1. chooses the clients; 2. lists their changes
 * (clients/client-changes.ts); 3. groups these by file; 4. plans each file, for writing in file-plan.ts and for a
 * removal here. Nothing is written; apply-plan.ts does that.
 */

import { readFileSync } from "node:fs"
import { AmanError, homeDir, nearest, sha256, userDataDir, version } from "../../base/index.ts"
import { clientChanges, type Scope } from "./clients/client-changes.ts"
import { type FoundClient, findClients } from "./clients/client-state.ts"
import { CLIENTS, type SetupPart } from "./clients/clients.ts"
import { clientFolders } from "./clients/places.ts"
import { type ProgramEnvironment, programFor } from "./clients/program.ts"
import { revert } from "./edit/edit-text.ts"
import {
  changesForFile,
  type FileGroup,
  type FilePlan,
  groupByFile,
  ownersOf,
  planFile,
  planWrite,
} from "./file-plan.ts"
import type { PlannedChange } from "./planned-change.ts"
import { type FileRecord, type Records, readRecords } from "./record.ts"
import type { TargetFile } from "./target-file.ts"

export type SetupChoice = Scope &
  ProgramEnvironment & {
    /** Ids of clients; empty: all installed ones. */
    readonly clients: readonly string[]
    readonly parts: ReadonlySet<SetupPart>
    readonly isRemoval: boolean
    /** Folder of setup's records and backups. */
    readonly folder: string
  }

export type SetupPlan = {
  readonly clients: readonly FoundClient[]
  readonly files: readonly FilePlan[]
  readonly notices: readonly string[]
}

/**
 * The choice of clients, files and program for `aman setup`. Throws USAGE if this aman is not a program that clients
 * could start.
 */
export function setupChoice(
  chosen: Pick<SetupChoice, "clients" | "parts" | "isRemoval" | "project">,
): SetupChoice {
  if (version === "0.0.0-dev") {
    throw new AmanError("USAGE", "aman runs from source, so clients have no program to start", {
      hint: "run: npm run build, then dist/aman setup",
    })
  }
  const { env, platform } = process
  return {
    ...chosen,
    places: clientFolders(env, platform, homeDir()),
    folder: `${userDataDir()}/setup`,
    executable: process.execPath,
    env,
    platform,
  }
}

/** Plans what setting up, or its removal, would write. Changes nothing. */
export function planSetup(choice: SetupChoice): SetupPlan {
  const { places, env, project, isRemoval } = choice
  const clients = chosenClients(findClients(places, env), choice)
  const plannedChanges = clients.flatMap(({ client }) => {
    // Project files never contain this machine's path to aman, because others use them too.
    const program = programFor(choice, client.isWindowed && project === null)
    return clientChanges(client, program, choice, choice.parts)
  })
  const records = readRecords(choice.folder)
  const plan = isRemoval ? planRemoval : planWrite
  return {
    clients,
    files: groupByFile(plannedChanges).map((group) => plan(group, records ?? {})),
    notices: [...(records === null ? [lostRecord(choice)] : []), ...notices(clients, choice)],
  }
}

function chosenClients(found: readonly FoundClient[], { clients, isRemoval }: SetupChoice): FoundClient[] {
  const ids = CLIENTS.map(({ id }) => id)
  for (const name of clients) {
    if (ids.includes(name)) continue
    const meant = nearest(name, ids) ?? ids.find((id) => id.startsWith(name) || name.startsWith(id))
    throw new AmanError("USAGE", `unknown client ${JSON.stringify(name)}`, {
      hint: meant === undefined ? `one of ${ids.join(", ")}` : `did you mean ${meant}?`,
    })
  }
  if (clients.length > 0) return found.filter(({ client }) => clients.includes(client.id))
  // A removal includes clients that are no longer installed, because their settings may still exist.
  return isRemoval ? [...found] : found.filter(({ sign }) => sign !== null)
}

function lostRecord({ folder }: SetupChoice): string {
  return `the record of earlier setups in ${folder} is unreadable; only aman's own entries are removed, and empty files stay`
}

function notices(clients: readonly FoundClient[], choice: SetupChoice): string[] {
  const { project, isRemoval, executable } = choice
  const withoutProjectSettings =
    project === null ? [] : clients.filter(({ client }) => client.project === null)
  const { isAbsolute } = programFor(choice, false)
  const warnings = [
    [project !== null && isAbsolute, SHARED],
    [isAbsolute && /[\\/]_npx[\\/]/.test(executable), CACHED],
  ] as const
  return [
    ...withoutProjectSettings.map(
      ({ client }) => `${client.name} has no project settings; omit --project for it`,
    ),
    ...(isRemoval ? [] : warnings.flatMap(([applies, notice]) => (applies ? [notice] : []))),
  ]
}

const SHARED =
  "aman is not on the PATH, so the project's files contain its path on this machine; install it for everyone who shares them"
const CACHED =
  "this aman is in the npx cache, which may be emptied; install it first: npm install --global aman"

/**
 * Plans the removal of aman's parts from a file. If the file has not changed since setup, its original text is
 * restored; otherwise only aman's parts are removed.
 */
function planRemoval(group: FileGroup, records: Records): FilePlan {
  const record = records[group.path]
  const others = (record?.owners ?? []).filter((owner) => !ownersOf(group).includes(owner))
  const plannedChanges = group.plannedChanges.filter((each) => !isSharedWith(each, others))
  const plan = planFile({ ...group, plannedChanges }, (target) => {
    const { text } = target
    if (text === null || plannedChanges.length === 0) return { state: "same", after: text, filled: [] }
    const after = withoutOurs(target, plannedChanges, record, others.length === 0)
    if (after === text && replacesWholeFile(plannedChanges)) return keptWhole(text)
    if (after === null) return { state: "delete", after, filled: [] }
    return { state: after === text ? "same" : "change", after, filled: [] }
  })
  return {
    ...(hasNothingToRemove(plan, record) ? { ...plan, state: "same", problem: null } : plan),
    owners: ownersOf(group),
  }
}

/**
 * True for a file that cannot be parsed, that setup never wrote and that does not mention aman. It contains nothing
 * to remove, so its problem is not reported.
 */
function hasNothingToRemove({ state, before }: FilePlan, record: FileRecord | undefined): boolean {
  return state === "broken" && record === undefined && (before === null || !before.includes("aman"))
}

/** True for a section or a whole file that a client which stays set up uses too. `others`: owners that stay. */
function isSharedWith({ change, part }: PlannedChange, others: readonly string[]): boolean {
  if (change.kind !== "section" && change.kind !== "whole") return false
  return others.some((owner) => owner.endsWith(`/${part}`))
}

function withoutOurs(
  { text, hasMark }: TargetFile,
  plannedChanges: readonly PlannedChange[],
  record: FileRecord | undefined,
  isAll: boolean,
): string | null {
  const now = text!
  const isUntouched = record?.written === sha256(now)
  if (isUntouched && isAll) {
    if (record.created) return null
    const original = originalOf(record, hasMark)
    if (original !== null) return original
  }
  const [whole] = plannedChanges.flatMap(({ change }) => (change.kind === "whole" ? [change.text] : []))
  if (whole !== undefined) return now === whole || isUntouched ? null : now
  const left = revert(now, changesForFile(plannedChanges), record?.filled ?? [])
  return record?.created && isAll && isBlankOrSeed(left, plannedChanges) ? null : left
}

/** The file's text before setup; null if the backup is missing or altered. */
function originalOf({ original }: FileRecord, hasMark: boolean): string | null {
  if (original === null) return null
  try {
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(readFileSync(original.backup))
    const bare = hasMark ? text.slice(1) : text
    return sha256(bare) === original.sha256 ? bare : null
  } catch {
    return null
  }
}

/** True if the text is blank or equals the initial content of a new file. */
function isBlankOrSeed(text: string, plannedChanges: readonly PlannedChange[]): boolean {
  if (text.trim() === "") return true
  return plannedChanges.some(({ seed }) => seed !== null && text.trim() === JSON.stringify(seed, null, 2))
}

function replacesWholeFile(plannedChanges: readonly PlannedChange[]): boolean {
  return plannedChanges.some(({ change }) => change.kind === "whole")
}

function keptWhole(text: string) {
  const message = "it was edited after setup wrote it; delete it by hand if you do not need it"
  return { state: "kept" as const, after: text, filled: [], problem: { message, line: null, byHand: "" } }
}
