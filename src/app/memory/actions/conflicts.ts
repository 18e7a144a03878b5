import type { Entry } from "../../../memory/entries/entry.ts"
import { headline, isValidAt } from "../../../memory/views/order.ts"
import { entryOutput } from "../entries/entry-output.ts"
import { storeFilterFor } from "../entries/entry-scope.ts"
import { conflictsOf } from "../entries/name-conflicts.ts"
import type { Memory } from "../memory.ts"
import type { KnowledgeAnswer, PageOptions } from "./answer.ts"

/**
 * Maximum number of entries that are compared with older ones, newest first. The limit saves time: each entry costs a
 * search of some milliseconds.
 */
const MAX_COMPARED = 300

const USUAL_PAGE = 50

/** Lists entries that seem to contradict or replace each other. */
export const handlers = { conflicts }

type ConflictPair = { readonly older: Entry; readonly newer: Entry }

async function conflicts(
  memory: Memory,
  { topic, limit = USUAL_PAGE, offset = 0 }: PageOptions & { readonly topic?: string | undefined },
): Promise<KnowledgeAnswer> {
  const { entries } = memory.knowledge.list(storeFilterFor(memory, { topic }), { order: "newest" })
  const now = new Date().toISOString()
  const living = entries.filter((entry) => isValidAt(entry, now) && entry.session === null)
  const pairs = await pairsAmong(memory, living.slice(0, MAX_COMPARED))
  const shown = pairs.slice(offset, offset + limit)
  const next = offset + limit < pairs.length ? offset + limit : null
  const compared = Math.min(living.length, MAX_COMPARED)
  const notices =
    compared < living.length
      ? [`the newest ${compared} of ${living.length} entries were compared with older ones`]
      : []
  const output = (entry: Entry) => entryOutput(entry, memory.project())
  return {
    data: {
      pairs: shown.map(({ older, newer }) => ({ older: output(older), newer: output(newer) })),
      ...{ total: pairs.length, compared, limit, offset, next_offset: next, notices },
    },
    text: [
      ...shown.map(
        ({ older, newer }) =>
          `[${newer.id}] ${headline(newer.text)}\n  conflicts with [${older.id}] ${headline(older.text)}`,
      ),
      ...(pairs.length === 0 ? ["no conflicts found"] : []),
      ...(next === null ? [] : [`${pairs.length - next} more: offset ${next}`]),
      ...notices,
    ].join("\n"),
    found: pairs.length > 0,
  }
}

/** The conflicts of these entries with older or newer ones, each pair once, older entry first. */
async function pairsAmong(memory: Memory, entries: readonly Entry[]): Promise<ConflictPair[]> {
  const loaded = await memory.loaded()
  const pairs = new Map<string, ConflictPair>()
  for (const newer of entries) {
    for (const { id } of await conflictsOf(newer, loaded)) {
      const older = loaded.entries.get(id)
      const key = [newer.id, id].sort().join(" ")
      if (older !== undefined && !pairs.has(key))
        pairs.set(
          key,
          older.recordedAt <= newer.recordedAt ? { older, newer } : { older: newer, newer: older },
        )
    }
  }
  return [...pairs.values()]
}
