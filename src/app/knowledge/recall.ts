import type { Entry } from "../../knowledge/entry.ts"
import { matches } from "../../knowledge/entry-filter.ts"
import type { RecallHit as RankedHit } from "../../knowledge/recall/recall-index.ts"
import type { RecallAnswer, RecallHit } from "./answers.ts"
import type { Memory } from "./memory.ts"
import type { RecallRequest } from "./requests.ts"
import { shownEntry } from "./shown-entry.ts"
import { wantedEntries } from "./wanted-entries.ts"

const DEFAULT_LIMIT = 10

/** What is known that answers the query, best first. */
export async function recall(memory: Memory, request: RecallRequest): Promise<RecallAnswer> {
  const started = performance.now()
  const { query, limit = DEFAULT_LIMIT } = request
  const { index, entries } = await memory.known()
  const now = new Date().toISOString()
  const wanted = wantedEntries(memory, request)
  const { hits, confidence } = await index.search(query, {
    limit,
    accept: ({ id }) => matches(entries.get(id)!, wanted, now),
    project: memory.project(),
  })
  return {
    query,
    results: hits.map((hit) => shown(hit, entries.get(hit.document.id)!, memory.project())),
    total: hits.length,
    confidence,
    notices: [],
    took_ms: Math.round((performance.now() - started) * 100) / 100,
  }
}

function shown({ score, window }: RankedHit, entry: Entry, project: string | null): RecallHit {
  return {
    ...shownEntry(entry, project),
    text: entry.text.slice(window.start, window.end),
    cut: window.end - window.start < entry.text.length,
    score,
    dates: [],
    outdated_by: null,
    updates: null,
    contradicts: null,
    source_now: null,
  }
}
