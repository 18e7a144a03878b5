import { rmSync } from "node:fs"
import { join } from "node:path"
import { AmanError, userDataDir } from "../../../base/index.ts"
import type { Entry } from "../../entries/entry.ts"
import { firstMoment } from "../../entries/times.ts"
import { canonicalId } from "../../log/ids.ts"
import { readSharedFolder, SHARED_FOLDER } from "../../sharing/shared-folder.ts"
import { type MovedTopic, mergeTopics, renameTopic } from "../../views/move-topic.ts"
import { storeFilterFor, toEntryInput, visibleProjects, withCapturedSource } from "../entries/entry-names.ts"
import { entryCount, entryOutput, plainEntry } from "../entries/entry-output.ts"
import type { Memory } from "../memory.ts"
import { conflictLines } from "../remember.ts"
import { forceOf, type RememberRequest } from "../requests.ts"
import { type ForceOption, type KnowledgeAnswer, rowsAnswer } from "./answer.ts"

type Ids = { readonly ids: readonly string[] }
type Id = { readonly id: string }
type ReasonOption = { readonly reason?: string | undefined }
type TagCall = Ids & { readonly tags: readonly string[] }
type Invalidation = Id &
  ReasonOption & { readonly successor?: string | undefined; readonly at?: string | undefined }

/** Changes entries; their history keeps every revision except those of purged entries. */
export const handlers = {
  async revise(memory: Memory, args: ForceOption & Partial<RememberRequest> & ReasonOption & Id) {
    const { fields, notice } = await withCapturedSource(memory, toEntryInput(args))
    const { id, reason } = args
    const options = { ...(reason !== undefined && { reason }), ...forceOf(args) }
    return comparedAnswer(
      memory,
      [memory.knowledge.revise(id, fields, options)],
      notice === null ? [] : [notice],
    )
  },
  append: (memory: Memory, args: ForceOption & Id & { readonly text: string }) =>
    comparedAnswer(memory, [memory.knowledge.append(args.id, args.text, forceOf(args))]),
  tag: (memory: Memory, args: ForceOption & TagCall) =>
    changedAnswer(memory, memory.knowledge.tag(args.ids, { add: args.tags }, forceOf(args))),
  untag: (memory: Memory, { ids, tags }: TagCall) =>
    changedAnswer(memory, memory.knowledge.tag(ids, { remove: tags })),
  /** With `topic`, all entries of that topic, too. */
  delete: (
    memory: Memory,
    { ids = [], topic, reason }: ReasonOption & Partial<Ids> & { readonly topic?: string | undefined },
  ) => {
    const { knowledge } = memory
    const ofTopic = topic === undefined ? [] : knowledge.list(storeFilterFor(memory, { topic })).entries
    return changedAnswer(memory, knowledge.delete([...ids, ...ofTopic.map(({ id }) => id)], reason ?? null))
  },
  keep: (memory: Memory, { ids }: Ids) => changedAnswer(memory, memory.knowledge.keep(ids)),
  fix,
  wrong: (memory: Memory, { id, reason = "wrong" }: ReasonOption & Id) => {
    const [entry] = memory.knowledge.get([id])
    const validUntil = entry!.validFrom ?? entry!.recordedAt
    return changedAnswer(memory, [memory.knowledge.invalidate(id, { validUntil, reason })])
  },
  restore,
  purge,
  invalidate: (memory: Memory, { id, at, reason, successor }: Invalidation) => {
    const how = { validUntil: at, reason: reason ?? null, successor: successor ?? null }
    return changedAnswer(memory, [memory.knowledge.invalidate(id, how)])
  },
  "merge-entries": (memory: Memory, args: ForceOption & Ids & { readonly text: string }) => {
    const { id } = memory.knowledge.merge(args.ids, { text: args.text }, forceOf(args))
    return comparedAnswer(memory, memory.knowledge.get([id]))
  },
  /** Merges topics; `merge-entries` merges entries into a new one. */
  merge: (memory: Memory, { from, into }: { readonly from: string; readonly into: string }) =>
    movedAnswer(mergeTopics(memory.knowledge, visibleProjects(memory), from, into)),
  rename: (memory: Memory, args: ForceOption & { readonly topic: string; readonly to: string }) =>
    movedAnswer(renameTopic(memory.knowledge, visibleProjects(memory), args.topic, args.to, forceOf(args))),
}

/** Stores the entry with another text; of an entry with a key this is a revision, any other is replaced by a new one. */
function fix(memory: Memory, args: ForceOption & Id & { readonly text: string }) {
  const [entry] = memory.knowledge.get([args.id])
  const { id, project, topic, kind, tags, key, source, entities, metadata, author, role, validFrom } = entry!
  if (entry!.supersededBy !== null)
    throw new AmanError("USAGE", `entry ${id} was replaced by ${entry!.supersededBy}`, {
      hint: `fix that one, or bring ${id} back first: restore`,
    })
  const endsLater = entry!.validUntil !== null && firstMoment(entry!.validUntil) > new Date().toISOString()
  const fixed = {
    ...{ project, topic, kind, tags, key, source, entities, metadata, author, role, validFrom },
    ...{ validUntil: endsLater ? entry!.validUntil : null, text: args.text, replaces: [id] },
  }
  const [made] = memory.knowledge.remember([fixed], forceOf(args))
  // It holds beside those that the wrong one held beside.
  for (const other of memory.knowledge.list().entries)
    if (other.id !== made!.id && (entry!.beside?.includes(other.id) || other.beside?.includes(id)))
      memory.knowledge.keep([other.id, made!.id])
  return comparedAnswer(memory, memory.knowledge.get([made!.id]))
}

/** Restores entries and says when one is still superseded, which keeps it out of answers. */
function restore(memory: Memory, { ids }: Ids): KnowledgeAnswer {
  const { knowledge } = memory
  const entries = knowledge.restore(ids)
  const superseded = entries.filter(({ supersededBy }) => supersededBy !== null)
  const all = superseded.length === 0 ? [] : knowledge.list().entries
  const notices = superseded.map(({ id, key, project, supersededBy }) => {
    const other = all.find((one) => one.id === supersededBy)
    return key !== null && other?.key === key && other.project === project
      ? `${id} is still superseded by ${other.id}: both have the key ${key}, and the last revised one counts. Revise ${id}, or delete the other`
      : `${id} is still superseded by ${supersededBy}; restore it again to undo that too`
  })
  return changedAnswer(memory, entries, notices)
}

function purge({ knowledge, root }: Memory, { ids }: Ids): KnowledgeAnswer {
  const purgedIds = new Set(ids.map(canonicalId))
  const former = knowledge
    .list()
    .entries.filter(({ id, supersededBy }) => !purgedIds.has(id) && purgedIds.has(supersededBy ?? ""))
  const copies = knowledge.damagedCopies()
  const isErased = knowledge.purge(ids)
  // Earlier versions kept sentences there that hooks proposed to remember.
  rmSync(join(userDataDir(), "hooks/proposals.jsonl"), { force: true })
  const after = knowledge.get(former.map(({ id }) => id))
  const files = root === null ? [] : readSharedFolder(root).files
  const isShared = files.some(({ text }) => [...purgedIds].some((id) => text.includes(id)))
  const notices = [
    ...after
      .toSorted((a, b) => Number(a.supersededBy !== null) - Number(b.supersededBy !== null))
      .map(({ id, supersededBy }) =>
        supersededBy === null
          ? `${id} valid again: the entry that superseded it was purged`
          : `${id} still superseded, although its successor was purged; restore it if it is valid again`,
      ),
    ...(isErased ? [] : ["another process was using the file, so bytes may remain in it; purge them again"]),
    ...copies.map((path) => `removed ${path}, a copy that \`aman memory recover\` made: it could have them`),
    ...(isShared ? [STILL_SHARED] : []),
  ]
  return {
    data: { purged: ids, notices },
    text: [`purged ${ids.length}${isErased ? ": their bytes are erased" : ""}`, ...notices].join("\n"),
    found: true,
  }
}

const STILL_SHARED = `${SHARED_FOLDER}/ still has their text; to erase it there too: aman memory sync. Commits and other clones keep it`

/** The changed entries, and notices about older ones that they seem to make untrue. */
async function comparedAnswer(memory: Memory, entries: readonly Entry[], notices: readonly string[] = []) {
  // The change itself is stored: an error would have it repeated.
  const lines = await conflictLines(memory, entries).catch((error: unknown) => [
    `stored, but not compared with other entries: ${error instanceof AmanError ? error.message : String(error)}`,
  ])
  return changedAnswer(memory, entries, [...notices, ...lines])
}

function changedAnswer(memory: Memory, entries: readonly Entry[], notices: readonly string[] = []) {
  const shown = entries.map((entry) => entryOutput(entry, memory.project()))
  return rowsAnswer("entries", shown, plainEntry, {
    ...{ empty: "nothing to change", more: { notices }, last: notices, between: "\n\n" },
  })
}

function movedAnswer({ from, into, entries }: MovedTopic): KnowledgeAnswer {
  const text = `moved ${entryCount(entries)} from ${from} to ${into}`
  return { data: { from, into, moved: entries }, text, found: true }
}
