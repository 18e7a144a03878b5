import { FEATURE_NAMES } from "../rank/feature-rows.ts"
import { tableFor } from "../rank/rank.ts"
import type { SearchOptions, SearchSources } from "../sources.ts"
import { type CandidateSet, gatherCandidates, rankedSoFar } from "./candidates.ts"

/** Number of files of the question that are candidates even if no guessed name occurs in them. */
const MAX_ASKED = 40

const ASKED = FEATURE_NAMES.indexOf("names:asked")

/**
 * The candidates for a question and the names that the code may use, as guessed by a caller who has not seen it. The
 * names are the query, because code has their words more often than those of the question; how the question alone ranks
 * a file is one of the file's features. If no name occurs anywhere, these are the candidates of the question alone.
 */
export async function gatherGuessed(
  sources: SearchSources,
  text: string,
  names: string,
  options: SearchOptions,
): Promise<CandidateSet> {
  const asked = await gatherCandidates(sources, text, options)
  const ordered = rankedSoFar(asked, tableFor(asked.vector?.model, asked.query))
  const guessedBeside = ordered.slice(0, MAX_ASKED).map(({ candidate }) => candidate.hit.id)
  const guessed = await gatherCandidates(sources, names, options, { guessedBeside })
  if (guessed.scale.answer.matchedFiles === 0) return asked
  const sums = new Map(ordered.map(({ candidate, sum }) => [candidate.hit.id, sum]))
  const best = ordered[0]?.sum ?? 0
  const lowest = ordered.at(-1)?.sum ?? 0
  const rows = [...guessed.rows]
  const candidates = guessed.candidates.map((candidate, at) => {
    const behind = (sums.get(candidate.hit.id) ?? lowest) - best
    rows[at]![ASKED] = behind
    return { ...candidate, asked: behind }
  })
  return { ...guessed, candidates, rows, configured: asked.configured }
}
