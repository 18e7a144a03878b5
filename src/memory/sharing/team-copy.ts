/*
 * The part of the memory that is shared through a team's server. The outbox lists what the user shares; the copy holds
 * what others share. `syncTeamMemory`: 1. takes a lock; 2. `push` sends the events that the server lacks; 3. `pull`
 * receives new events, or makes the copy again if the user's rights have changed. `recallTeam` answers from the copy.
 */

import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { AmanError, sha256, userDataDir } from "../../base/index.ts"
import { ALL, isLoggedIn, type PushedEntry, TeamClient, teamLogin } from "../../index/index.ts"
import {
  type CopyState,
  DATABASE_SUFFIXES,
  LeaderLock,
  type OutboxEntry,
  TeamOutbox,
} from "../../store/index.ts"
import { Knowledge } from "../knowledge.ts"
import type { KnowledgeEvent } from "../log/event.ts"
import { createIds } from "../log/ids.ts"
import { Memory } from "../use/memory.ts"
import { recall } from "../use/recall.ts"
import type { RecallAnswer, RecallRequest } from "../use/requests.ts"
import { knowledgePath } from "../use/store/memory-handle.ts"
import { whyKept } from "./sync-shared.ts"
import { forTeam, fromTeam, teamProject, whyNotForTeam } from "./team-events.ts"

/**
 * Result of a synchronisation with the team's server: the number of entries whose events were stored on the server, and the
 * number of events that arrived. If another process was synchronising, this one did nothing.
 */
export type TeamSync = Readonly<Record<"sent" | "received", number>> & {
  readonly refused: readonly { readonly subject: string; readonly reason: string }[]
  readonly isBusy: boolean
}

const FOLDER = "team-memory"
const OUTBOX = "outbox.db"
const COPY = /^copy-[0-9a-z]{20}\.db/
const MAX_BATCH_CHARACTERS = 1 << 20
/** Time that a question waits for the server before it continues with this machine's copy. */
const SYNC_TIMEOUT_MS = 5000
/** Time that a command waits for the server if sending and receiving is what it was called for. */
export const SHARE_TIMEOUT_MS = 20_000

/** True if the user is logged in and has shared or recalled memories; cheap enough to ask before each command. */
export function hasTeamMemory(): boolean {
  return existsSync(join(userDataDir(), FOLDER)) && isLoggedIn()
}

/** The list of what the user shares with the current login's server; the caller closes it. */
export function openOutbox(): TeamOutbox {
  return new TeamOutbox(join(memoryFolder(teamLogin().url), OUTBOX))
}

/**
 * Sends what is shared and not yet sent, and receives what is new, each from where it stopped. Throws TEAM if the server
 * does not answer; what was sent until then stays sent.
 */
export async function syncTeamMemory(timeoutMs: number = SYNC_TIMEOUT_MS): Promise<TeamSync> {
  const login = teamLogin()
  const folder = memoryFolder(login.url)
  using lead = LeaderLock.take(folder)
  if (lead === null) return { sent: 0, received: 0, refused: [], isBusy: true }
  const client = new TeamClient(login, timeoutMs)
  using outbox = new TeamOutbox(join(folder, OUTBOX))
  const pushed = await push(outbox, client)
  return { ...pushed, received: await pull(folder, outbox, client), isBusy: false }
}

/**
 * Shares these entries of the user's memory from the next synchronisation on. Throws USAGE for one that may not leave
 * this machine.
 */
export function shareEntries(
  knowledge: Knowledge,
  ids: readonly string[],
  { visibleTo, repository }: { readonly visibleTo: string; readonly repository: string | null },
): void {
  const subjects = knowledge.get(ids).map(({ id }) => id)
  for (const subject of subjects) {
    const reason = whyNotForTeam(knowledge.history(subject).map(({ event }) => event))
    if (reason !== null) throw new AmanError("USAGE", `${subject} ${reason}`)
  }
  using outbox = openOutbox()
  outbox.share(subjects, visibleTo, repository)
}

/** Deletes this machine's copy of the team's memory, before a logout; the list of what the user shares stays. */
export function removeCopy(): void {
  if (!hasTeamMemory()) return
  using outbox = openOutbox()
  outbox.setCopy(null)
  removeCopies(memoryFolder(teamLogin().url), null)
}

/**
 * The team's entries that answer the query. They belong to the wanted repository or to none; with "*" to any. If the
 * server cannot be reached, they come from this machine's copy, and a notice says so. Throws NOT_FOUND and TEAM.
 */
export async function recallTeam(wanted: string, request: RecallRequest): Promise<RecallAnswer> {
  const notices: string[] = []
  let failure: AmanError | null = null
  try {
    const { refused, isBusy } = await syncWhenFree()
    notices.push(...refusals(refused))
    if (isBusy) notices.push("another aman is receiving the team's memories; these were received before")
  } catch (error) {
    if (!(error instanceof AmanError && error.code === "TEAM")) throw error
    failure = error
    notices.push(`${error.message}; these are the memories that were received before`)
  }
  const copy = copyPath()
  if (copy === null) throw failure ?? new AmanError("TEAM", "the team's memory has not been received yet")
  using memory = new Memory(new Knowledge({ path: copy, now: Date.now }), null)
  const projects = wanted.trim() === ALL ? undefined : [await chosenProjectId(memory, wanted), null]
  const answer = await recall(memory, { ...request, scope: "all", projects })
  return { ...answer, notices: [...notices, ...answer.notices] }
}

/** The same after another process has finished, if that takes no longer than a question waits for the server. */
async function syncWhenFree(): Promise<TeamSync> {
  const until = performance.now() + SYNC_TIMEOUT_MS
  for (;;) {
    const synced = await syncTeamMemory()
    if (!synced.isBusy || performance.now() > until) return synced
    await Bun.sleep(20)
  }
}

/** Notices about entries that the server did not take. */
export function refusals(refused: TeamSync["refused"]): string[] {
  return refused.map(({ subject, reason }) => `${subject} was not shared: ${reason}`)
}

function memoryFolder(url: string): string {
  const folder = join(userDataDir(), FOLDER, sha256(url).slice(0, 32))
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
}

function copyPath(): string | null {
  const folder = memoryFolder(teamLogin().url)
  using outbox = openOutbox()
  const state = outbox.copy()
  return state === null ? null : join(folder, state.file)
}

/** Id of the project of the one repository that the name selects. */
async function chosenProjectId(memory: Memory, wanted: string): Promise<string | null> {
  const { entries } = await memory.loaded()
  const names = new Set<string>()
  for (const { metadata } of entries.values())
    if (typeof metadata["repository"] === "string") names.add(metadata["repository"])
  const text = wanted.trim().toLowerCase()
  const exact = [...names].filter((name) => name.toLowerCase() === text)
  const found = exact.length > 0 ? exact : [...names].filter((name) => name.toLowerCase().includes(text))
  if (found.length === 1) return teamProject(found[0]!)
  const named = JSON.stringify(wanted)
  if (found.length === 0) {
    throw new AmanError("NOT_FOUND", `no shared memory is about a repository named ${named}`, {
      hint: "all of them: --team '*'",
    })
  }
  throw new AmanError("USAGE", `${named} matches ${found.length} repositories`, {
    hint: `choose one of: ${found.slice(0, 8).join(", ")}`,
  })
}

async function push(outbox: TeamOutbox, client: TeamClient): Promise<Pick<TeamSync, "sent" | "refused">> {
  using knowledge = new Knowledge({ path: knowledgePath(), now: Date.now, readonly: true })
  const seq = knowledge.lastSeq()
  addOfProjects(outbox, knowledge)
  const refused: { subject: string; reason: string }[] = []
  const waiting = waitingEntries(outbox, knowledge, (subject, reason) => refused.push({ subject, reason }))
  let sent = 0
  for (const batch of batches(waiting)) {
    const answer = await client.pushMemory(batch)
    const isRefused = new Set(answer.refused.map(({ subject }) => subject))
    refused.push(...answer.refused)
    outbox.sent(
      batch.map(({ subject }) => subject).filter((subject) => !isRefused.has(subject)),
      seq,
    )
    sent += answer.stored
  }
  for (const { subject, reason } of refused) outbox.refused(subject, reason)
  outbox.allSent(seq)
  return { sent, refused }
}

/** Adds the entries that were stored in shared projects since the last time. */
function addOfProjects(outbox: TeamOutbox, knowledge: Knowledge): void {
  for (const { project, visibility, repository, seenSeq } of outbox.projects()) {
    const shared = new Set(outbox.entries().map(({ subject }) => subject))
    const stored = new Set<string>()
    for (const { event } of knowledge.numberedEvents(seenSeq))
      if (event.change.type === "stored" && event.change.fields.project === project)
        if (!shared.has(event.subject)) stored.add(event.subject)
    const isFree = (id: string) => whyNotForTeam(knowledge.history(id).map(({ event }) => event)) === null
    outbox.share([...stored].filter(isFree), visibility, repository)
  }
}

/** The shared entries with the events that the server lacks. `refuse` gets those that may not leave this machine. */
function waitingEntries(
  outbox: TeamOutbox,
  knowledge: Knowledge,
  refuse: (subject: string, reason: string) => void,
): PushedEntry[] {
  const entries = new Map(outbox.entries().map((entry) => [entry.subject, entry]))
  if (entries.size === 0) return []
  const from = Math.min(...[...entries.values()].map(({ sentSeq }) => sentSeq))
  const unsent = new Map<OutboxEntry, KnowledgeEvent[]>()
  for (const { seq, event } of knowledge.numberedEvents(from)) {
    const entry = entries.get(event.subject)
    if (entry === undefined || seq <= entry.sentSeq) continue
    const events = unsent.get(entry)
    if (events === undefined) unsent.set(entry, [event])
    else events.push(event)
  }
  return [...unsent].flatMap(([{ subject, visibility, repository, sentSeq }, events]) => {
    const purge = events.find(({ change }) => change.type === "purged")
    const reason = purge === undefined ? whyKept({}, events) : null
    if (reason !== null) {
      refuse(subject, reason)
      return []
    }
    const sending = purge === undefined ? forTeam(events, sentSeq === 0) : [purge]
    return [{ subject, visible_to: visibility, repository, events: sending }]
  })
}

function* batches(entries: readonly PushedEntry[]): Generator<PushedEntry[]> {
  let batch: PushedEntry[] = []
  let characters = 0
  for (const entry of entries) {
    const size = JSON.stringify(entry).length
    if (batch.length >= 100 || (batch.length > 0 && characters + size > MAX_BATCH_CHARACTERS)) {
      yield batch
      batch = []
      characters = 0
    }
    batch.push(entry)
    characters += size
  }
  if (batch.length > 0) yield batch
}

/** Brings the copy up to date; returns the number of events that arrived. */
async function pull(folder: string, outbox: TeamOutbox, client: TeamClient): Promise<number> {
  const known = outbox.copy()
  // Files of a first synchronisation that ended before its first events were stored.
  if (known === null) removeCopies(folder, null)
  if (known === null || existsSync(join(folder, known.file))) {
    const save = (state: CopyState) => outbox.setCopy(state)
    const { received, isWhole } = await receiveNew(folder, known ?? newCopy(), client, save)
    if (isWhole) return received
  }
  // The user's rights have changed: entries that the user may no longer see must go, so the copy is made again, and the old
  // one is used until then.
  const fresh = newCopy()
  let state: CopyState = fresh
  const { received } = await receiveNew(folder, fresh, client, (next) => {
    state = next
  })
  outbox.setCopy(state)
  removeCopies(folder, state.file)
  return received
}

/** A copy without events, whose file does not exist yet. */
function newCopy(): CopyState {
  return { file: `copy-${createIds(Date.now)()}.db`, principal: "", place: "" }
}

/** Receives all new events; `isWhole` is false if the copy then has other entries than the user may see. */
async function receiveNew(
  folder: string,
  from: CopyState,
  client: TeamClient,
  save: (state: CopyState) => void,
) {
  using copy = new Knowledge({ path: join(folder, from.file), now: Date.now })
  let state = from
  let received = 0
  for (;;) {
    const { principal, events, next, more, digest } = await client.pullMemory(state.place)
    if (state.principal !== "" && state.principal !== principal) return { received, isWhole: false }
    const arrived = events.flatMap(({ id, at, subject, body, owner, repository }) => {
      const event = fromTeam({ id, at, subject, change: JSON.parse(body) }, { owner, repository })
      return event === null ? [] : [event]
    })
    received += copy.appendEvents(arrived)
    state = { ...state, principal, place: next }
    save(state)
    if (more) continue
    const subjects = createHash("md5").update(copy.subjects().sort().join(",")).digest("hex")
    return { received, isWhole: subjects === digest }
  }
}

function removeCopies(folder: string, kept: string | null): void {
  const keptFiles = DATABASE_SUFFIXES.map((suffix) => `${kept}${suffix}`)
  for (const name of readdirSync(folder))
    if (COPY.test(name) && !keptFiles.includes(name)) rmSync(join(folder, name), { force: true })
}
