import { AmanError } from "../../base/errors.ts"
import type { KnowledgeEvent } from "../event.ts"
import type { Knowledge } from "../knowledge.ts"
import { admitShared } from "./admit-shared.ts"
import type { Remark } from "./imported.ts"
import { inOrder, scopesOf } from "./scopes.ts"
import { selectShared } from "./select-shared.ts"
import { readSharedFolder, SHARED_FOLDER, sharedStamp } from "./shared-folder.ts"
import { readSharedLines, type SharedLine } from "./shared-lines.ts"
import { forgetSharedState, type SharedState, saveSharedState, sharedState } from "./shared-state.ts"
import { appendShared, purgeShared } from "./write-shared.ts"

export type SyncOptions = {
  /** The id that the project has in this store. */
  readonly project: string
  /** ISO instant. */
  readonly now: string
  readonly dataDir: string
  /** Says what would come and go, and does nothing. */
  readonly dryRun?: boolean
  /** What others purged is purged here too; else it is only told. */
  readonly acceptPurges?: boolean
}

export type SyncReport = {
  /** What came in, as a person may want to look at it: others wrote it. */
  readonly received: readonly KnowledgeEvent[]
  /** How many events went out. */
  readonly sent: number
  /** Entries that others purged and that are still here. */
  readonly purges: readonly string[]
  /** Lines that were taken out of the folder, of what was purged. */
  readonly removedLines: number
  readonly remarks: readonly Remark[]
}

/** Shares the knowledge of the project in this folder from now on; nothing is read or written yet. */
export function startSharing(dataDir: string, root: string, newId: () => string): SharedState {
  const state = sharedState(dataDir, root) ?? { root, file: `${newId()}.jsonl`, stamp: "" }
  saveSharedState(dataDir, state)
  return state
}

/** What came in stays, and so does the project's folder. */
export function stopSharing(dataDir: string, root: string): void {
  forgetSharedState(dataDir, root)
}

/** Brings store and folder in step, both ways; null where this project is not shared by this user. */
export function syncShared(knowledge: Knowledge, root: string, options: SyncOptions): SyncReport | null {
  const state = sharedState(options.dataDir, root)
  if (state === null) return null
  const folder = readSharedFolder(root)
  const { lines, remarks } = readSharedLines(folder.files)
  const received = receive(knowledge, lines, options)
  const events = options.dryRun ? [...knowledge.events(), ...received.events] : knowledge.events()
  const sending = toSend(events, lines, options.project)
  const purged = new Set(sending.purged)
  let removedLines = 0
  if (!options.dryRun) {
    removedLines = purgeShared(root, folder.files, purged)
    const former = removedLines > 0 ? readSharedFolder(root).files : folder.files
    appendShared(root, state.file, sending.events, former.find(({ name }) => name === state.file)?.text ?? "")
    saveSharedState(options.dataDir, { ...state, stamp: sharedStamp(root) })
  }
  return {
    received: received.events,
    sent: sending.events.length,
    purges: received.purges,
    removedLines,
    remarks: [...folder.remarks, ...remarks, ...received.refused, ...sending.remarks],
  }
}

/**
 * Takes in what the folder has new, for whoever opens the project: one stat a file where nothing was changed. Writes
 * nothing into the project. Null where it is not shared by this user.
 */
export function receiveShared(
  knowledge: Knowledge,
  root: string,
  options: Pick<SyncOptions, "project" | "now" | "dataDir">,
): Omit<SyncReport, "sent" | "removedLines"> | null {
  const state = sharedState(options.dataDir, root)
  if (state === null) return null
  try {
    const stamp = sharedStamp(root)
    if (stamp === state.stamp) return NOTHING
    const folder = readSharedFolder(root)
    const { lines, remarks } = readSharedLines(folder.files)
    const { events, purges, refused } = receive(knowledge, lines, options)
    saveSharedState(options.dataDir, { ...state, stamp })
    return { received: events, purges, remarks: [...folder.remarks, ...remarks, ...refused] }
  } catch (error) {
    // Whoever wants to recall something gets what is known all the same.
    if (!(error instanceof AmanError)) throw error
    return { ...NOTHING, remarks: [{ file: SHARED_FOLDER, line: null, message: error.message }] }
  }
}

const NOTHING = { received: [], purges: [], remarks: [] }

type Received = {
  readonly events: readonly KnowledgeEvent[]
  readonly purges: readonly string[]
  readonly refused: readonly Remark[]
}

/** A purge cannot be undone, so that of another is only told where nobody said that it counts here, too. */
function receive(
  knowledge: Knowledge,
  lines: readonly SharedLine[],
  { project, now, dryRun = false, acceptPurges = false }: Omit<SyncOptions, "dataDir">,
): Received {
  return knowledge.write(() => {
    const here = knowledge.events()
    const scopes = scopesOf(here)
    const known = new Set(here.map(({ id }) => id))
    const { events, refused } = admitShared(lines, { project, scopes, known, now })
    const isPurge = ({ change }: KnowledgeEvent) => change.type === "purged"
    const purging = new Set(events.filter(isPurge).map(({ subject }) => subject))
    const isHere = (subject: string) => scopes.get(subject) === project
    const wanted = events.filter((event) =>
      isPurge(event) ? acceptPurges && isHere(event.subject) : !purging.has(event.subject),
    )
    if (!dryRun) knowledge.appendEvents(wanted)
    const purges = acceptPurges ? [] : [...purging].filter(isHere)
    return { events: wanted, purges, refused }
  })
}

type Sending = {
  readonly events: readonly KnowledgeEvent[]
  /** Subjects that are to leave the folder. */
  readonly purged: readonly string[]
  readonly remarks: readonly Remark[]
}

/** What the folder lacks. What anybody purged does not come back to it, and what we purged is marked so. */
function toSend(events: readonly KnowledgeEvent[], lines: readonly SharedLine[], project: string): Sending {
  const present = new Set(lines.map(({ event }) => event.id))
  const subjects = new Set(lines.map(({ event }) => event.subject))
  const isPurge = ({ change }: KnowledgeEvent) => change.type === "purged"
  const marked = lines.filter(({ event }) => isPurge(event)).map(({ event }) => event.subject)
  const ours = events.filter((event) => isPurge(event) && subjects.has(event.subject))
  const purged = new Set([...marked, ...ours.map(({ subject }) => subject)])
  const { events: selected, remarks } = selectShared(events, project)
  const fresh = [...selected, ...ours].filter(
    (event) => !present.has(event.id) && (isPurge(event) || !purged.has(event.subject)),
  )
  return { events: inOrder(fresh), purged: [...purged], remarks }
}
