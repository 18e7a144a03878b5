import type { Entry } from "../../knowledge/entry.ts"
import { entryMatcher } from "../../knowledge/entry-filter.ts"
import type { RecallHit as RankedHit } from "../../knowledge/recall/recall-index.ts"
import type { RecallAnswer, RecallHit } from "./answers.ts"
import { lookAtSource, sourceNow } from "./freshness.ts"
import type { Memory } from "./memory.ts"
import type { RecallRequest } from "./requests.ts"
import { shownEntry } from "./shown-entry.ts"
import { wantedEntries } from "./wanted-entries.ts"

const DEFAULT_LIMIT = 10

/** What is known that answers the query, best first. */
export async function recall(memory: Memory, request: RecallRequest): Promise<RecallAnswer> {
  const started = performance.now()
  const { query, limit = DEFAULT_LIMIT } = request
  const { index, entries, graph } = await memory.known()
  const now = new Date().toISOString()
  const isWanted = entryMatcher(wantedEntries(memory, request), now)
  const { hits, confidence } = await index.search(query, {
    limit,
    accept: ({ id }) => isWanted(entries.get(id)!),
    project: memory.project(),
    near: (hits) => graph.scores(hits, query, memory.project()),
  })
  return {
    query,
    results: await Promise.all(hits.map((hit) => shown(hit, entries.get(hit.document.id)!, memory))),
    total: hits.length,
    confidence,
    notices: memory.notices,
    took_ms: Math.round((performance.now() - started) * 100) / 100,
  }
}

async function shown({ score, window }: RankedHit, found: Entry, memory: Memory): Promise<RecallHit> {
  const { entry, state } = await lookAtSource(memory, found)
  return {
    ...shownEntry(entry, memory.project(), state?.freshness),
    text: entry.text.slice(window.start, window.end),
    cut: window.end - window.start < entry.text.length,
    score,
    dates: [],
    outdated_by: null,
    updates: null,
    contradicts: null,
    source_now: await sourceNow(entry, state),
  }
}
