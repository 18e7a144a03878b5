import type { Entry } from "../../../memory/entries/entry.ts"
import { compact } from "../../../memory/views/compact.ts"
import { type MovedTopic, mergeTopics, renameTopic } from "../../../memory/views/move-topic.ts"
import { headline } from "../../../memory/views/order.ts"
import { prune } from "../../../memory/views/prune.ts"
import { entryOutput } from "../entries/entry-output.ts"
import { storeFilterFor, visibleProjects } from "../entries/entry-scope.ts"
import type { Memory } from "../memory.ts"
import { forceOf } from "../requests.ts"
import { checkSource } from "../sources/freshness.ts"
import type { ForceOption, KnowledgeAnswer } from "./answer.ts"

const USUAL_DAYS = 180

/** Maintenance of the memory. Merging and renaming topics change entries; the other actions only propose changes. */
export const handlers = {
  prune: pruneAnswer,
  compact: compactAnswer,
  /** Merges topics; `merge-entries` merges entries into a new one. */
  merge: (memory: Memory, { from, into }: { readonly from: string; readonly into: string }) =>
    movedAnswer(mergeTopics(memory.knowledge, visibleProjects(memory), from, into)),
  rename: (memory: Memory, args: ForceOption & { readonly topic: string; readonly to: string }) =>
    movedAnswer(renameTopic(memory.knowledge, visibleProjects(memory), args.topic, args.to, forceOf(args))),
}

async function pruneAnswer(
  memory: Memory,
  { days = USUAL_DAYS }: { readonly days?: number | undefined },
): Promise<KnowledgeAnswer> {
  const { entries } = memory.knowledge.list(storeFilterFor(memory, {}))
  const gone = new Set<string>()
  for (const entry of entries) if (await isGone(memory, entry)) gone.add(entry.id)
  const proposals = prune(entries, { now: new Date().toISOString(), days, gone })
  const counts = Object.fromEntries(
    [...Map.groupBy(proposals, ({ reason }) => reason)].map(([reason, own]) => [reason, own.length]),
  )
  return {
    data: {
      proposals: proposals.map(({ entry, reason, detail }) => ({
        ...{ id: entry.id, topic: entry.topic, text: headline(entry.text), reason, detail },
      })),
      counts,
      days,
      total: proposals.length,
    },
    text:
      proposals
        .map(
          ({ entry, reason, detail }) =>
            `[${entry.id}] ${entry.topic}: ${headline(entry.text)}\n  (${reason}: ${detail})`,
        )
        .concat(
          proposals.length === 0 ? [] : ["nothing was deleted; to delete entries, pass their ids to delete"],
        )
        .join("\n") || "nothing to prune",
    found: proposals.length > 0,
  }
}

async function isGone(memory: Memory, entry: Entry): Promise<boolean> {
  if (entry.source === null) return false
  return (await checkSource(memory, entry)).state?.freshness === "gone"
}

function compactAnswer(memory: Memory, { topic }: { readonly topic?: string | undefined }): KnowledgeAnswer {
  const { entries } = memory.knowledge.list(storeFilterFor(memory, { topic }))
  const groups = compact(entries, new Date().toISOString())
  return {
    data: {
      groups: groups.map((group) => ({
        topic: group.topic,
        overlap: group.overlap,
        entries: group.entries.map((entry) => entryOutput(entry, memory.project())),
      })),
      total: groups.length,
    },
    text:
      groups
        .map((group) =>
          [
            `${group.topic}: ${group.entries.length} nearly equal entries (${group.overlap.toFixed(2)})`,
            ...group.entries.map(({ id, text }) => `  [${id}] ${headline(text)}`),
          ].join("\n"),
        )
        .concat(groups.length === 0 ? [] : ["nothing was changed; to merge entries, use merge-entries"])
        .join("\n\n") || "nothing to compact",
    found: groups.length > 0,
  }
}

function movedAnswer({ from, into, entries }: MovedTopic): KnowledgeAnswer {
  return {
    data: { from, into, moved: entries },
    text: `moved ${entries} ${entries === 1 ? "entry" : "entries"} from ${from} to ${into}`,
    found: true,
  }
}
