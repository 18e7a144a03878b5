import type { Entry } from "../../../memory/entries/entry.ts"
import { canonicalId } from "../../../memory/log/ids.ts"
import { toEntryInput, withCapturedSource } from "../entries/entry-input.ts"
import { entryOutput } from "../entries/entry-output.ts"
import { storeFilterFor } from "../entries/entry-scope.ts"
import { plainEntry } from "../entries/entry-text.ts"
import type { Memory } from "../memory.ts"
import { forceOf, type RememberRequest } from "../requests.ts"
import type { ForceOption, KnowledgeAnswer } from "./answer.ts"

/** Changes entries; their history keeps every revision except those of purged entries. */
export const handlers = {
  async revise(memory: Memory, args: Revision): Promise<KnowledgeAnswer> {
    const { fields, notice } = await withCapturedSource(memory, toEntryInput(args))
    const entry = memory.knowledge.revise(args.id, fields, { ...reasonOption(args), ...forceOf(args) })
    return changedAnswer(memory, [entry], notice === null ? [] : [notice])
  },
  append(
    memory: Memory,
    args: ForceOption & { readonly id: string; readonly text: string },
  ): KnowledgeAnswer {
    return changedAnswer(memory, [memory.knowledge.append(args.id, args.text, forceOf(args))])
  },
  tag(memory: Memory, args: ForceOption & TagCall): KnowledgeAnswer {
    return changedAnswer(memory, memory.knowledge.tag(args.ids, { add: args.tags }, forceOf(args)))
  },
  untag(memory: Memory, { ids, tags }: TagCall): KnowledgeAnswer {
    return changedAnswer(memory, memory.knowledge.tag(ids, { remove: tags }))
  },
  delete(memory: Memory, args: DeleteCall): KnowledgeAnswer {
    return changedAnswer(memory, memory.knowledge.delete(idsOf(memory, args), args.reason ?? null))
  },
  restore,
  purge,
  invalidate(memory: Memory, { id, at, reason, successor }: Invalidation): KnowledgeAnswer {
    const validUntil = at === undefined ? {} : { validUntil: at }
    return changedAnswer(memory, [
      memory.knowledge.invalidate(id, {
        ...validUntil,
        reason: reason ?? null,
        successor: successor ?? null,
      }),
    ])
  },
  "merge-entries": (
    memory: Memory,
    args: ForceOption & { readonly ids: readonly string[]; readonly text: string },
  ): KnowledgeAnswer => {
    const { id } = memory.knowledge.merge(args.ids, { text: args.text }, forceOf(args))
    return changedAnswer(memory, memory.knowledge.get([id]))
  },
}

type ReasonOption = { readonly reason?: string | undefined }

type Revision = ForceOption & Partial<RememberRequest> & ReasonOption & { readonly id: string }

type TagCall = { readonly ids: readonly string[]; readonly tags: readonly string[] }

type DeleteCall = ReasonOption & {
  readonly ids?: readonly string[]
  /** Applies to all entries of this topic. */
  readonly topic?: string | undefined
}

type Invalidation = ReasonOption & {
  readonly id: string
  readonly successor?: string | undefined
  readonly at?: string | undefined
}

/** Restores entries and says when one is still superseded, which keeps it out of answers. */
function restore(memory: Memory, { ids }: { readonly ids: readonly string[] }): KnowledgeAnswer {
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

function purge({ knowledge }: Memory, { ids }: { readonly ids: readonly string[] }): KnowledgeAnswer {
  const purgedIds = new Set(ids.map(canonicalId))
  const former = knowledge
    .list()
    .entries.filter(({ id, supersededBy }) => !purgedIds.has(id) && purgedIds.has(supersededBy ?? ""))
  const isErased = knowledge.purge(ids)
  const after = knowledge.get(former.map(({ id }) => id))
  const notices = [
    ...notesFor(
      after,
      ({ supersededBy }) => supersededBy === null,
      "valid again: the entry that superseded it was purged",
    ),
    ...notesFor(
      after,
      ({ supersededBy }) => supersededBy !== null,
      "still superseded, although its successor was purged; restore it if it is valid again",
    ),
    ...(isErased ? [] : ["another process was using the file, so bytes may remain in it; purge them again"]),
  ]
  return {
    data: { purged: ids, notices },
    text: [`purged ${ids.length}${isErased ? ": their bytes are erased" : ""}`, ...notices].join("\n"),
    found: true,
  }
}

function notesFor(entries: readonly Entry[], isMeant: (entry: Entry) => boolean, what: string): string[] {
  return entries.filter(isMeant).map(({ id }) => `${id} ${what}`)
}

function reasonOption({ reason }: ReasonOption) {
  return reason === undefined ? {} : { reason }
}

/** The given ids, or all ids of the topic in this project. */
function idsOf(memory: Memory, { ids = [], topic }: DeleteCall): readonly string[] {
  if (topic === undefined) return ids
  const { entries } = memory.knowledge.list(storeFilterFor(memory, { topic }))
  return [...ids, ...entries.map(({ id }) => id)]
}

function changedAnswer(
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
