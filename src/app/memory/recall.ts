import { EXCERPT_BUDGETS, excerpt } from "../../memory/conflicts/excerpt.ts"
import { type MarkedHit, settle } from "../../memory/conflicts/settle.ts"
import { lastMoment, parseTime } from "../../memory/entries/times.ts"
import { charactersIn } from "../../text/token-count.ts"
import type { RecallAnswer, RecallHit } from "./answers.ts"
import { hitOutput } from "./entries/entry-output.ts"
import type { Memory } from "./memory.ts"
import { pendingNotice, unusedSharedFolder } from "./pending-changes.ts"
import { type RecallResult, type SearchedMemory, searchEntries, truncateQuestion } from "./recall-source.ts"
import type { DetailLevel, RecallRequest } from "./requests.ts"

/** Min number of hits that are checked for conflicts with each other, even if fewer are returned. */
const MIN_COMPARED = 10

/** Entries that answer the query, best first. A valid entry comes before the entries that it superseded. */
export async function recall(memory: Memory, request: RecallRequest): Promise<RecallAnswer> {
  const started = performance.now()
  const { query: question, detail = "full", limit = memory.config.limit } = request
  const isCount = detail === "count"
  const searched = await searchEntries(
    memory,
    request,
    isCount ? Number.POSITIVE_INFINITY : Math.max(limit, MIN_COMPARED),
  )
  const results = isCount ? [] : await shownHits(memory, request, searched, limit)
  return {
    query: truncateQuestion(question),
    results: spendTokens(results, detail, request.max_tokens),
    total: isCount ? searched.hits.length : results.length,
    confidence: searched.confidence,
    notices: [
      ...memory.notices,
      ...searched.notices,
      ...(searched.hits.length > 0 ? [] : unusedNotice(memory)),
    ],
    took_ms: Math.round((performance.now() - started) * 100) / 100,
  }
}

/** Where entries may be, if none was found. */
function unusedNotice({ root }: Memory): string[] {
  const unused = root === null ? null : unusedSharedFolder(root)
  return unused === null ? [] : [pendingNotice(unused)]
}

/** The hits ordered and marked by conflicts, as of the time in the request. */
function settledHits(
  { query, as_of }: RecallRequest,
  { hits, rarity }: SearchedMemory,
): MarkedHit<RecallResult>[] {
  const at = as_of === undefined ? new Date().toISOString() : lastMoment(parseTime(as_of, "as_of"))
  return settle(truncateQuestion(query), hits, { at, rarity })
}

async function shownHits(
  memory: Memory,
  request: RecallRequest,
  searched: SearchedMemory,
  limit: number,
): Promise<RecallHit[]> {
  const { by_topic, explain = false } = request
  const { project } = searched
  const best = settledHits(request, searched).slice(0, limit)
  const shown = await Promise.all(
    best.map(({ hit, mark }) => hitOutput(memory, hit, mark, { explain, project })),
  )
  return by_topic ? [...Map.groupBy(shown, ({ topic }) => topic.toLowerCase()).values()].flat() : shown
}

/** Min characters shown of each hit; a shorter excerpt would be useless. */
const MIN_CHARACTERS = 120

/**
 * Cuts each text to the length of the requested detail, and all of them to `tokens` in total; each hit gets an
 * equal share of the tokens that are left.
 */
function spendTokens(
  hits: readonly RecallHit[],
  detail: DetailLevel,
  tokens = Number.POSITIVE_INFINITY,
): RecallHit[] {
  const maxCharacters = detail === "count" ? 0 : EXCERPT_BUDGETS[detail]
  let left = charactersIn(tokens)
  return hits.map((hit, i) => {
    const share = Math.max(MIN_CHARACTERS, Math.floor(left / (hits.length - i)))
    const { text, isWhole } = excerpt(hit.text, hit.window, Math.min(maxCharacters, share))
    left -= text.length
    return isWhole ? hit : { ...hit, text, cut: true }
  })
}
