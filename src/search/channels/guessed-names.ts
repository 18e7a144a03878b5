import type { SearchOptions } from "../options.ts"
import { FEATURE_NAMES } from "../rank/feature-rows.ts"
import { tableFor } from "../rank/rank.ts"
import type { SearchSources } from "../sources.ts"
import { type CandidateSet, gatherCandidates, rankedSoFar } from "./candidates.ts"

/** Number of files, by words and by vectors, that the question contributes even if no guessed name occurs in them. */
const OF_QUESTION = 20
/** Number of the best files by the names of which the rank for the question is computed. */
const MAX_ASKED = 60

const ASKED = FEATURE_NAMES.indexOf("names:asked")

/**
 * The candidates for a question and the names that the code may use, as guessed by a caller who has not seen it. The
 * names are the query, because code has their words more often than those of the question; how the question alone ranks
 * a file, without reading its text, is one of the file's features. If no name occurs anywhere, these are the candidates
 * of the question alone.
 */
export async function gatherGuessed(
  sources: SearchSources,
  text: string,
  names: string,
  options: SearchOptions,
): Promise<CandidateSet> {
  const ofQuestion = await gatherCandidates(sources, text, options, { max: OF_QUESTION })
  const guessed = await gatherCandidates(sources, names, options, {
    isGuessed: true,
    beside: text,
    include: idsOf(ofQuestion.candidates),
  })
  if (guessed.scale.answer.matchedFiles === 0) return gatherCandidates(sources, text, options)
  const best = rankedSoFar(guessed, tableFor(guessed.vector?.model, guessed.query)).slice(0, MAX_ASKED)
  const include = idsOf(best.map(({ candidate }) => candidate))
  const asked = await gatherCandidates(sources, text, options, { beside: names, include, max: 0 })
  const sums = rankedSoFar(asked, tableFor(asked.vector?.model, asked.query))
  const sumOf = new Map(sums.map(({ candidate, sum }) => [candidate.hit.id, sum]))
  const [highest, lowest] = [sums[0]?.sum ?? 0, sums.at(-1)?.sum ?? 0]
  const rows = [...guessed.rows]
  const candidates = guessed.candidates.map((candidate, at) => {
    const behind = (sumOf.get(candidate.hit.id) ?? lowest) - highest
    rows[at]![ASKED] = behind
    return { ...candidate, asked: behind }
  })
  return { ...guessed, candidates, rows, configured: ofQuestion.configured }
}

function idsOf(candidates: CandidateSet["candidates"]): number[] {
  return candidates.map(({ hit }) => hit.id)
}
