import type { Entry } from "../../knowledge/entry.ts"
import { entryMatcher } from "../../knowledge/entry-filter.ts"
import type { RecallHit as RankedHit, RecallIndex } from "../../knowledge/recall/recall-index.ts"
import { lastMoment, parseTime } from "../../knowledge/times.ts"
import { type Settled, settle } from "../../knowledge/truth/settle.ts"
import type { RecallAnswer, RecallHit } from "./answers.ts"
import type { Memory } from "./memory.ts"
import type { RecallRequest } from "./requests.ts"
import { shownHit } from "./shown-hit.ts"
import { spendTokens } from "./spend-tokens.ts"
import { wantedEntries } from "./wanted-entries.ts"

const DEFAULT_LIMIT = 10
/** So many are compared with each other, however few are shown. */
const COMPARED = 10

/** A hit with the whole of its entry. */
type Found = RankedHit & { readonly entry: Entry }

/** What is known that answers the query, best first; what is true now above what was true before. */
export async function recall(memory: Memory, request: RecallRequest): Promise<RecallAnswer> {
  const started = performance.now()
  const { query, detail = "full", limit = DEFAULT_LIMIT } = request
  const { index, entries, graph } = await memory.known()
  const now = new Date().toISOString()
  const accepts = entryMatcher(wantedEntries(memory, request), now)
  const project = memory.project()
  const { hits, confidence } = await index.search(query, {
    limit: detail === "count" ? Number.POSITIVE_INFINITY : Math.max(limit, COMPARED),
    accept: ({ id }) => accepts(entries.get(id)!),
    project,
    near: (best) => graph.scores(best, query, project),
  })
  const found = hits.map((hit): Found => ({ ...hit, entry: entries.get(hit.document.id)! }))
  const results =
    detail === "count" ? [] : await shownHits(memory, request, settled(request, found, now, index), limit)
  return {
    query,
    results: spendTokens(results, detail, request.max_tokens),
    total: detail === "count" ? hits.length : results.length,
    confidence,
    notices: memory.notices,
    took_ms: Math.round((performance.now() - started) * 100) / 100,
  }
}

/** Without a question the order is that of time, and nothing competes. */
function settled(
  { query, as_of }: RecallRequest,
  found: readonly Found[],
  now: string,
  index: RecallIndex,
): Settled<Found>[] {
  const at = as_of === undefined ? now : lastMoment(parseTime(as_of, "as_of"))
  return settle(query, found, { at, rarity: (word) => index.rarity(word) })
}

async function shownHits(
  memory: Memory,
  { by_topic, explain }: RecallRequest,
  settledHits: readonly Settled<Found>[],
  limit: number,
): Promise<RecallHit[]> {
  const best = settledHits.slice(0, limit)
  const shown = await Promise.all(
    best.map(({ hit, mark }) => shownHit(memory, hit, mark, { explain: explain ?? false })),
  )
  return by_topic ? [...Map.groupBy(shown, ({ topic }) => topic.toLowerCase()).values()].flat() : shown
}
