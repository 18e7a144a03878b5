import { lastMoment, parseTime } from "../../knowledge/times.ts"
import { type Settled, settle } from "../../knowledge/truth/settle.ts"
import type { RecallAnswer, RecallHit } from "./answers.ts"
import type { Memory } from "./memory.ts"
import type { RecallRequest } from "./requests.ts"
import { type Found, type SearchedKnown, searchKnown } from "./search-known.ts"
import { shownHit } from "./shown-hit.ts"
import { spendTokens } from "./spend-tokens.ts"

/** So many are compared with each other, however few are shown. */
const COMPARED = 10

/** What is known that answers the query, best first; what is true now above what was true before. */
export async function recall(memory: Memory, request: RecallRequest): Promise<RecallAnswer> {
  const started = performance.now()
  const { query, detail = "full", limit = memory.config.limit } = request
  const isCount = detail === "count"
  const found = await searchKnown(
    memory,
    request,
    isCount ? Number.POSITIVE_INFINITY : Math.max(limit, COMPARED),
  )
  const results = isCount ? [] : await shownHits(memory, request, found, limit)
  return {
    query,
    results: spendTokens(results, detail, request.max_tokens),
    total: isCount ? found.hits.length : results.length,
    confidence: found.confidence,
    notices: memory.notices,
    took_ms: Math.round((performance.now() - started) * 100) / 100,
  }
}

/** As of the moment that is asked about. */
function settled({ query, as_of }: RecallRequest, { hits, rarity }: SearchedKnown): Settled<Found>[] {
  const at = as_of === undefined ? new Date().toISOString() : lastMoment(parseTime(as_of, "as_of"))
  return settle(query, hits, { at, rarity })
}

async function shownHits(
  memory: Memory,
  request: RecallRequest,
  found: SearchedKnown,
  limit: number,
): Promise<RecallHit[]> {
  const { by_topic, explain = false } = request
  const { project } = found
  const best = settled(request, found).slice(0, limit)
  const shown = await Promise.all(
    best.map(({ hit, mark }) => shownHit(memory, hit, mark, { explain, project })),
  )
  return by_topic ? [...Map.groupBy(shown, ({ topic }) => topic.toLowerCase()).values()].flat() : shown
}
