/*
 * Synchronises a project's memory with its shared folder. `syncShared`: 1. reads the folder; 2. `receive` stores the
 * changes that a person accepts, and holds back the rest; 3. `toSend` selects the events that the
 * folder lacks; 4. lines of purged subjects are removed and new lines appended; 5. the state is saved.
 * `countWaiting` only counts the changes when a project is opened.
 */

import { AmanError, sha256 } from "../../base/index.ts"
import { findCredentialIn, isSecretPath } from "../../text/index.ts"
import type { Entity } from "../entities/entities.ts"
import type { Entry } from "../entries/entry.ts"
import { comparable } from "../entries/labels.ts"
import { currentEvents, moveProjects, projectBySubject } from "../formats/events.ts"
import type { ImportRemark } from "../formats/imported.ts"
import { type LocalHistory, type SharedChange, sharedChanges } from "../formats/shared-changes.ts"
import type { Knowledge } from "../knowledge.ts"
import { foldSubjects, isPurge, type SubjectStates } from "../log/derive.ts"
import { type EntryFields, foldOrder, type KnowledgeEvent } from "../log/event.ts"
import { admitShared, readSharedLines, type SharedLine, THIS_PROJECT } from "./admit-shared.ts"
import {
  addReceived,
  appendShared,
  purgeShared,
  readSharedFolder,
  receivedIds,
  SHARED_FOLDER,
  SHARED_LIMITS,
  type SharedState,
  saveSharedState,
  sharedStamp,
  sharedState,
} from "./shared-folder.ts"

type SyncOptions = {
  /** Id of the project in this store. */
  readonly project: string
  /** ISO instant. */
  readonly now: string
  readonly dataDir: string
  /** Names of the user of this machine; a received entry whose author has one of them is marked. */
  readonly users?: () => readonly string[]
  /** True: only report what would be received and sent; change nothing. */
  readonly dryRun?: boolean
  /** Changes that a person accepts: all that wait for review, or those of the listed subjects; absent: none. */
  readonly accept?: "all" | readonly string[]
  /** `digest` of the reviewed report; if the folder has changed since, nothing is received. */
  readonly seen?: string
  /** True: subjects that others purged are purged in this store as well; otherwise they are only reported. */
  readonly acceptPurges?: boolean
}

/**
 * What a synchronisation did, or would do in a dry run: the events and changes that were received, the changes that wait for
 * review, the hash of all new events in the folder to pass as `seen`, the number of events sent, the entries that others
 * purged and that are still in this store, and the number of lines removed because their subjects were purged.
 */
export type SyncReport = NonNullable<ReturnType<typeof syncShared>>

/** Enables sharing for the project in this folder; the shared folder is neither read nor written yet. */
export function startSharing(
  dataDir: string,
  root: string,
  { project, newId }: { readonly project: string; readonly newId: () => string },
): SharedState {
  const fresh = { root, file: `${newId()}.jsonl`, stamp: "", project, held: 0 }
  const state = sharingState(dataDir, root, project) ?? fresh
  saveSharedState(dataDir, state)
  return state
}

/** The sharing state of the folder; null when this user shares nothing from it, or another project than this one. */
export function sharingState(dataDir: string, root: string, project: string | null): SharedState | null {
  const state = sharedState(dataDir, root)
  return state?.project === project ? state : null
}

/**
 * Synchronises store and shared folder: sends this store's events and receives the changes of others that a
 * person accepts. Null when this user does not share this project.
 */
export function syncShared(knowledge: Knowledge, root: string, options: SyncOptions) {
  const state = sharingState(options.dataDir, root, options.project)
  if (state === null) return null
  const folder = readSharedFolder(root)
  const { lines, remarks } = readSharedLines(folder.files)
  const ids = idsInFolder(knowledge.events(), lines, options.project)
  const here = new Map([...ids].map(([id, inFolder]) => [inFolder, id]))
  const withOwnIds = lines.map((line) => ({ ...line, event: purgeOf(line.event, here) }))
  const received = receive(knowledge, withOwnIds, options)
  const events = options.dryRun ? [...knowledge.events(), ...received.events] : knowledge.events()
  const own = events.map((event) => purgeOf(event, ids))
  const sending = toSend(own, lines, options.project)
  const purged = new Set(sending.purged)
  let removedLines = 0
  if (!options.dryRun) {
    removedLines = purgeShared(root, folder.files, purged)
    const former = removedLines > 0 ? readSharedFolder(root).files : folder.files
    appendShared(root, state.file, sending.events, former.find(({ name }) => name === state.file)?.text ?? "")
    saveSharedState(options.dataDir, { ...state, stamp: sharedStamp(root), held: received.held.length })
  }
  return {
    ...{ received: received.events, taken: received.taken, held: received.held },
    ...{ digest: received.digest, sent: sending.events.length, purges: received.purges, removedLines },
    remarks: [...folder.remarks, ...remarks, ...received.refused, ...sending.remarks],
  }
}

/** The ids in the folder by those here: ids of entities and relations depend on that of the project, which it does not have. */
function idsInFolder(own: readonly KnowledgeEvent[], lines: readonly SharedLine[], project: string) {
  const shared = lines.map(({ event }) => event)
  const here = moveProjects(shared, (id) => (id === THIS_PROJECT ? project : id))
  const there = moveProjects(own, (id) => (id === project ? THIS_PROJECT : id))
  const pairs = [...here.entries()].map(([at, { subject }]) => [subject, shared[at]!.subject] as const)
  const ownPairs = [...there.entries()].map(([at, { subject }]) => [own[at]!.subject, subject] as const)
  return new Map([...pairs, ...ownPairs].filter(([id, inFolder]) => id !== inFolder))
}

/** A purge with the id that the map has for its subject; any other event as it is, because `moveProjects` changes its ids. */
function purgeOf(event: KnowledgeEvent, ids: ReadonlyMap<string, string>): KnowledgeEvent {
  return isPurge(event) ? { ...event, subject: ids.get(event.subject) ?? event.subject } : event
}

/**
 * Checks the shared folder when a project is opened; costs one stat per file when nothing has changed. Returns the number
 * of changes that wait for review, whose effect is computed when a person reviews them. Stores nothing of them, and
 * writes nothing into the project. Null when this user does not share it.
 */
export function countWaiting(
  knowledge: Knowledge,
  root: string,
  { project, now, dataDir }: Pick<SyncOptions, "project" | "now" | "dataDir">,
): { readonly held: number; readonly remarks: readonly ImportRemark[] } | null {
  const state = sharingState(dataDir, root, project)
  if (state === null) return null
  try {
    const stamp = sharedStamp(root)
    if (stamp === state.stamp) return { held: state.held, remarks: [] }
    const folder = readSharedFolder(root)
    const { lines, remarks } = readSharedLines(folder.files)
    const { all, purging } = admitNew(knowledge, lines, { project, now })
    const held = new Set(all.events.map(({ subject }) => subject)).difference(purging).size
    saveSharedState(dataDir, { ...state, stamp, held })
    return { held, remarks: [...folder.remarks, ...remarks, ...all.refused] }
  } catch (error) {
    // A failure here must not prevent a recall from the store.
    if (!(error instanceof AmanError)) throw error
    return { held: state.held, remarks: [{ file: SHARED_FOLDER, line: null, message: error.message }] }
  }
}

/** The events of the folder that may be stored, and the subjects that they purge. */
function admitNew(
  knowledge: Knowledge,
  lines: readonly SharedLine[],
  { project, now }: Pick<SyncOptions, "project" | "now">,
) {
  const here = knowledge.events()
  const scopes = projectBySubject(here)
  const known = new Set(here.map(({ id }) => id))
  const admit = admitShared(lines, { project, scopes, known, now })
  const all = admit()
  const purging = new Set(all.events.filter(isPurge).map(({ subject }) => subject))
  return { here, scopes, admit, all, purging }
}

/** Receives changes in one transaction. Purges by others are only reported unless accepted: they are irreversible. */
function receive(knowledge: Knowledge, lines: readonly SharedLine[], options: SyncOptions) {
  const { project, dataDir, users = () => [], dryRun = false, acceptPurges = false } = options
  return knowledge.write(() => {
    const { here, scopes, admit, all, purging } = admitNew(knowledge, lines, options)
    const isHere = (subject: string) => scopes.get(subject) === project
    const local: LocalHistory = {
      events: here.filter(({ subject }) => isHere(subject)),
      received: receivedIds(dataDir, project),
      users: users(),
    }
    const lasting = all.events.filter(({ subject }) => !purging.has(subject))
    const changes = sharedChanges(local, lasting, all.ambiguous)
    const digest = sha256(JSON.stringify(all.events))
    if (options.seen !== undefined && options.seen !== digest) throw changedMeanwhile()
    const { accept = [] } = options
    const subjects = changes.map(({ subject }) => subject)
    const isAccepted = new Set(accept === "all" ? subjects : accept)
    const refused = new Set(subjects.filter((subject) => !isAccepted.has(subject)))
    const accepted = admit(refused).events.filter((event) => !isPurge(event) && !purging.has(event.subject))
    const purges = acceptPurges ? all.events.filter((event) => isPurge(event) && isHere(event.subject)) : []
    const events = [...purges, ...accepted]
    if (!dryRun) {
      // The ids are stored before the events themselves, so that even after a crash no event of another person counts
      // as written on this machine.
      const ids = events.map(({ id }) => id)
      addReceived(dataDir, project, ids)
      knowledge.appendEvents(events)
    }
    const counts = Map.groupBy(accepted, ({ subject }) => subject)
    const isTaken = ({ subject, events: wanted }: SharedChange) => counts.get(subject)?.length === wanted
    return {
      events,
      taken: changes.filter(isTaken),
      held: changes.filter((change) => !isTaken(change)),
      digest,
      purges: acceptPurges ? [] : [...purging].filter(isHere),
      refused: all.refused,
    }
  })
}

function changedMeanwhile(): AmanError {
  return new AmanError("USAGE", `${SHARED_FOLDER} has changed since it was listed; nothing was accepted`, {
    hint: "run again: aman memory sync",
  })
}

const WITH_TEXT: ReadonlySet<string> = new Set(["stored", "revised", "appended"])

/**
 * The events that the folder lacks, and `purged`: the subjects whose lines are to be removed from it. Purged subjects are
 * not sent again; subjects purged here get a purge mark.
 */
function toSend(events: readonly KnowledgeEvent[], lines: readonly SharedLine[], project: string) {
  const present = new Set(lines.map(({ event }) => event.id))
  const subjects = new Set(lines.map(({ event }) => event.subject))
  const marked = lines.filter(({ event }) => isPurge(event)).map(({ event }) => event.subject)
  const ours = events.filter((event) => isPurge(event) && subjects.has(event.subject))
  const purged = new Set([...marked, ...ours.map(({ subject }) => subject)])
  const scopes = projectBySubject(events)
  const own = foldOrder(events).filter(({ subject }) => scopes.get(subject) === project)
  const states = foldSubjects(own)
  const { events: selected, remarks } = selectShared(own, states)
  // A deletion is sent only if the folder has the entry; new texts of a deleted entry are not sent.
  const isHeldBack = ({ subject, change }: KnowledgeEvent) => {
    const state = states.get(subject)
    const isDeleted = state?.of === "entry" && state.value.deletedAt !== null
    return isDeleted && (!subjects.has(subject) || WITH_TEXT.has(change.type))
  }
  const fresh = [...selected, ...ours].filter(
    (event) =>
      !present.has(event.id) && (isPurge(event) || !(purged.has(event.subject) || isHeldBack(event))),
  )
  return { events: foldOrder(fresh), purged: [...purged], remarks }
}

/** Entries with this tag are not shared. */
const UNSHARED_TAG = "private"

/**
 * The events to share of a project's own events: without texts that later events replaced, and with THIS_PROJECT instead of
 * the project's id. Entries from conversations, entries tagged "private" and entries that look like credentials are
 * excluded; source paths of this machine are removed.
 */
function selectShared(own: readonly KnowledgeEvent[], states: SubjectStates) {
  const histories = Map.groupBy(own, ({ subject }) => subject)
  const { shared, remarks } = sharedSubjects(histories, states)
  const current = currentEvents(own, states, shared).map(withoutLocalPath)
  return { events: moveProjects(current, () => THIS_PROJECT), remarks }
}

/** Ids of the entries and entities to share; of entities without those that only entries name that are not shared. */
function sharedSubjects(histories: ReadonlyMap<string, readonly KnowledgeEvent[]>, states: SubjectStates) {
  const all = [...states.values()]
  const entries = all
    .flatMap(({ of, value }) => (of === "entry" ? [value] : []))
    .map((entry) => ({ entry, problem: whyKept(entry, histories.get(entry.id)!) }))
  const free = entries.filter(({ problem }) => problem === null).map(({ entry }) => entry)
  const kept = entries.filter(({ problem }) => problem !== null).map(({ entry }) => entry)
  const named = (some: readonly Entry[]) => new Set(some.flatMap((entry) => entry.entities.map(comparable)))
  const [namedByFree, namedByKept] = [named(free), named(kept)]
  const isShared = ({ id, name, aliases }: Entity) => {
    const own = [name, ...aliases].map(comparable)
    const isKept = own.some((one) => namedByKept.has(one)) && !own.some((one) => namedByFree.has(one))
    return !isKept && findCredentialIn(histories.get(id)!.map(({ change }) => change)) === null
  }
  const entities = all.flatMap(({ of, value }) => (of === "entity" && isShared(value) ? [value] : []))
  return {
    shared: new Set([...free, ...entities].map(({ id }) => id)),
    remarks: entries.flatMap(({ entry: { id }, problem }) =>
      problem === null || problem === "" ? [] : [{ file: id, line: null, message: problem }],
    ),
  }
}

/** True for an entry that is tagged "private", or part of a conversation. */
export function isPrivate({ kind, session, role, tags }: Partial<EntryFields>): boolean {
  const isUtterance = kind === "episodic" && session != null && role != null
  return isUtterance || tags?.includes(UNSHARED_TAG) === true
}

/** Why an entry is not shared; null when it is shared, "" when no remark is needed. */
export function whyKept(fields: Partial<EntryFields>, history: readonly KnowledgeEvent[]): string | null {
  if (isPrivate(fields)) return ""
  for (const event of history) {
    const line = JSON.stringify(event)
    if (line.length > SHARED_LIMITS.lineChars) return "is too long to be shared"
    const credential = findCredentialIn(event.change)
    if (credential !== null) return `is not shared: it looks like ${credential.kind}`
  }
  return null
}

/** The event without a source path that means something on this machine only. */
export function withoutLocalPath(event: KnowledgeEvent): KnowledgeEvent {
  const { change } = event
  const isLocal = (source: EntryFields["source"] | undefined) =>
    source != null && (/^(?:[\\/~]|[A-Za-z]:)/.test(source.path) || isSecretPath(source.path))
  if (change.type === "anchored" && isLocal(change.source))
    return { ...event, change: { ...change, source: null } }
  if ((change.type === "stored" || change.type === "revised") && isLocal(change.fields.source))
    return { ...event, change: { ...change, fields: { ...change.fields, source: null } } as typeof change }
  return event
}
