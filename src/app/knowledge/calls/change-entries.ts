import type { Entry } from "../../../knowledge/entry.ts"
import type { KnowledgeAnswer, KnowledgeCall } from "../calls.ts"
import { plainEntry } from "../entry-text.ts"
import type { Memory } from "../memory.ts"
import { askedEntry, captured } from "../new-entry.ts"
import { shownEntry } from "../shown-entry.ts"
import { wantedEntries } from "../wanted-entries.ts"

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

/** Changes entries; their history keeps every form but what is purged. */
export async function changeEntries(memory: Memory, call: Call): Promise<KnowledgeAnswer> {
  const { knowledge } = memory
  switch (call.action) {
    case "revise": {
      const { fields, notice } = await captured(memory, askedEntry(call))
      const entry = knowledge.revise(call.id, fields, reasonOf(call))
      return changed(memory, [entry], notice === null ? [] : [notice])
    }
    case "append":
      return changed(memory, [knowledge.append(call.id, call.text)])
    case "tag":
      return changed(memory, knowledge.tag(call.ids, { add: call.tags }))
    case "untag":
      return changed(memory, knowledge.tag(call.ids, { remove: call.tags }))
    case "delete":
      return changed(memory, knowledge.delete(idsOf(memory, call), call.reason ?? null))
    case "restore":
      return changed(memory, knowledge.restore(call.ids))
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

function purged({ knowledge }: Memory, ids: readonly string[]): KnowledgeAnswer {
  const isGone = knowledge.purge(ids)
  const notices = isGone
    ? []
    : ["another process was using the file, so that bytes may be left in it: purge them once more"]
  return {
    data: { purged: ids, notices },
    text: [`purged ${ids.length}${isGone ? ": the bytes are gone" : ""}`, ...notices].join("\n"),
    found: true,
  }
}

function merged(memory: Memory, call: Extract<Call, { action: "merge-entries" }>): KnowledgeAnswer {
  const { id } = memory.knowledge.merge(call.ids, { text: call.text })
  return changed(memory, memory.knowledge.get([id]))
}

function reasonOf({ reason }: { readonly reason?: string | undefined }) {
  return reason === undefined ? {} : { reason }
}

/** Of one topic all that stands in this place. */
function idsOf(
  memory: Memory,
  { ids = [], topic }: { readonly ids?: readonly string[]; readonly topic?: string | undefined },
): readonly string[] {
  if (topic === undefined) return ids
  const { entries } = memory.knowledge.list(wantedEntries(memory, { topic }))
  return [...ids, ...entries.map(({ id }) => id)]
}

function changed(
  memory: Memory,
  entries: readonly Entry[],
  notices: readonly string[] = [],
): KnowledgeAnswer {
  const shown = entries.map((entry) => shownEntry(entry, memory.project()))
  return {
    data: { entries: shown, notices },
    text: [...shown.map(plainEntry), ...notices].join("\n\n") || "nothing to change",
    found: shown.length > 0,
  }
}
