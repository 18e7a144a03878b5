import type { Entry } from "../../../memory/entries/entry.ts"
import { canonicalId } from "../../../memory/log/ids.ts"
import { plainEntry } from "../entry-text.ts"
import type { Memory } from "../memory.ts"
import { captured, toEntryInput } from "../new-entry.ts"
import { forceOf } from "../requests.ts"
import { entryOutput } from "../shown-entry.ts"
import { storeFilterFor } from "../wanted-entries.ts"
import type { KnowledgeAnswer, KnowledgeCall } from "./calls.ts"

type Call = Extract<
  KnowledgeCall,
  {
    action:
      | "revise"
      | "append"
      | "tag"
      | "untag"
      | "delete"
      | "restore"
      | "purge"
      | "invalidate"
      | "merge-entries"
  }
>

/** Changes entries; their history keeps every revision except those of purged entries. */
export async function changeEntries(memory: Memory, call: Call): Promise<KnowledgeAnswer> {
  const { knowledge } = memory
  switch (call.action) {
    case "revise": {
      const { fields, notice } = await captured(memory, toEntryInput(call))
      const entry = knowledge.revise(call.id, fields, { ...reasonOf(call), ...forceOf(call) })
      return changed(memory, [entry], notice === null ? [] : [notice])
    }
    case "append":
      return changed(memory, [knowledge.append(call.id, call.text, forceOf(call))])
    case "tag":
      return changed(memory, knowledge.tag(call.ids, { add: call.tags }, forceOf(call)))
    case "untag":
      return changed(memory, knowledge.tag(call.ids, { remove: call.tags }))
    case "delete":
      return changed(memory, knowledge.delete(idsOf(memory, call), call.reason ?? null))
    case "restore":
      return restored(memory, call.ids)
    case "invalidate":
      return changed(memory, [
        knowledge.invalidate(call.id, {
          ...(call.at !== undefined && { validUntil: call.at }),
          reason: call.reason ?? null,
          successor: call.successor ?? null,
        }),
      ])
    case "purge":
      return purged(memory, call.ids)
    case "merge-entries":
      return merged(memory, call)
  }
}

/** Restores entries and says when one is still superseded, which keeps it out of answers. */
function restored(memory: Memory, ids: readonly string[]): KnowledgeAnswer {
  const { knowledge } = memory
  const entries = knowledge.restore(ids)
  const givingWay = entries.filter(({ supersededBy }) => supersededBy !== null)
  const all = givingWay.length === 0 ? [] : knowledge.list().entries
  const notices = givingWay.map(({ id, key, project, supersededBy }) => {
    const other = all.find((one) => one.id === supersededBy)
    return key !== null && other?.key === key && other.project === project
      ? `${id} still gives way to ${other.id}: both bear the key ${key}, and the one revised last stands. Revise ${id}, or delete the other`
      : `${id} is still superseded by ${supersededBy}: restore it once more to undo that, too`
  })
  return changed(memory, entries, notices)
}

function purged({ knowledge }: Memory, ids: readonly string[]): KnowledgeAnswer {
  const gone = new Set(ids.map(canonicalId))
  const former = knowledge
    .list()
    .entries.filter(({ id, supersededBy }) => !gone.has(id) && gone.has(supersededBy ?? ""))
  const isGone = knowledge.purge(ids)
  const after = knowledge.get(former.map(({ id }) => id))
  const notices = [
    ...said(
      after,
      ({ supersededBy }) => supersededBy === null,
      "stands again: what it gave way to is purged",
    ),
    ...said(
      after,
      ({ supersededBy }) => supersededBy !== null,
      "stays superseded, though its successor is purged: restore it if it holds again",
    ),
    ...(isGone
      ? []
      : ["another process was using the file, so that bytes may be left in it: purge them once more"]),
  ]
  return {
    data: { purged: ids, notices },
    text: [`purged ${ids.length}${isGone ? ": the bytes are gone" : ""}`, ...notices].join("\n"),
    found: true,
  }
}

function said(entries: readonly Entry[], isMeant: (entry: Entry) => boolean, what: string): string[] {
  return entries.filter(isMeant).map(({ id }) => `${id} ${what}`)
}

function merged(memory: Memory, call: Extract<Call, { action: "merge-entries" }>): KnowledgeAnswer {
  const { id } = memory.knowledge.merge(call.ids, { text: call.text }, forceOf(call))
  return changed(memory, memory.knowledge.get([id]))
}

function reasonOf({ reason }: { readonly reason?: string | undefined }) {
  return reason === undefined ? {} : { reason }
}

/** The given ids, or all ids of the topic in this project. */
function idsOf(
  memory: Memory,
  { ids = [], topic }: { readonly ids?: readonly string[]; readonly topic?: string | undefined },
): readonly string[] {
  if (topic === undefined) return ids
  const { entries } = memory.knowledge.list(storeFilterFor(memory, { topic }))
  return [...ids, ...entries.map(({ id }) => id)]
}

function changed(
  memory: Memory,
  entries: readonly Entry[],
  notices: readonly string[] = [],
): KnowledgeAnswer {
  const shown = entries.map((entry) => entryOutput(entry, memory.project()))
  return {
    data: { entries: shown, notices },
    text: [...shown.map(plainEntry), ...notices].join("\n\n") || "nothing to change",
    found: shown.length > 0,
  }
}
