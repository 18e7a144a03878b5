import type { SymbolRow } from "../../store/index/symbols.ts"
import type { Scale } from "../query/query-scale.ts"
import { coverage } from "../query/query-scale.ts"
import type { CandidateFile } from "./features.ts"
import { nameF1 } from "./features.ts"

/** A chunk of a ranked file, with its score. */
export type RankedPlace = {
  readonly ordinal: number
  readonly score: number
  /** The best matching definition in the chunk, looked up on first access; null when the chunk defines nothing. */
  readonly symbol: SymbolRow | null
}

export type PlaceSignals = {
  readonly candidate: CandidateFile
  /**
   * Looks up the definition with the given index in a chunk, or the first one if the index is undefined. Called only
   * for places that are shown.
   */
  readonly symbolOf: (ordinal: number, index: number | undefined) => SymbolRow | null
  /** Cosines of the file's chunks, by ordinal, as far as they were computed. */
  readonly cosines: ReadonlyMap<number, number>
  /** Chunks that define a name of the query. `exact`: spelled exactly; `folded`: equal by letters and digits alone. */
  readonly exact: ReadonlySet<number>
  readonly folded: ReadonlySet<number>
  /** Share of the query that a chunk contains word for word, by ordinal. */
  readonly verbatim?: ReadonlyMap<number, number> | undefined
  /** Chunks that may be shown even if they contain no word of the query that the index knows. */
  readonly holding?: ReadonlySet<number>
}

// Weights that choose the best chunk within a file, fitted on pairs of a doc comment (as the question) and its
// function.
export const PLACE_WEIGHTS = {
  keyword: 1,
  coverage: 0.5,
  name: 0.8,
  cosine: 1.5,
  exact: 2,
  folded: 1,
  // Chosen, not fitted: more than all other weights together.
  verbatim: 8,
} as const

/** The maximum number of places to return, and a test that a place must pass. */
export type ShownPlaces = { readonly limit: number; readonly accept: (ordinal: number) => boolean }

const ALL_PLACES: ShownPlaces = { limit: Number.POSITIVE_INFINITY, accept: () => true }

/** The chunks of one file, best first; ties by position in the file. */
export function rankPlaces(
  signals: PlaceSignals,
  scale: Scale,
  shown: ShownPlaces = ALL_PLACES,
): RankedPlace[] {
  const { candidate, cosines, exact, folded } = signals
  const scores = new Map<number, number>()
  const add = (ordinal: number, score: number) => scores.set(ordinal, (scores.get(ordinal) ?? 0) + score)
  for (const chunk of candidate.hit.chunks) {
    add(chunk.ordinal, (PLACE_WEIGHTS.keyword * chunk.score) / (scale.answer.maxChunk + 1e-6))
    add(chunk.ordinal, PLACE_WEIGHTS.coverage * coverage(chunk.body | chunk.doc | chunk.names, scale))
  }
  const bestName = bestNames(candidate, scale)
  for (const [ordinal, name] of bestName) add(ordinal, PLACE_WEIGHTS.name * name.f1)
  for (const [ordinal, cosine] of cosines) add(ordinal, PLACE_WEIGHTS.cosine * Math.max(0, cosine))
  for (const ordinal of exact) add(ordinal, PLACE_WEIGHTS.exact)
  for (const ordinal of folded) if (!exact.has(ordinal)) add(ordinal, PLACE_WEIGHTS.folded)
  for (const [ordinal, share] of signals.verbatim ?? []) add(ordinal, PLACE_WEIGHTS.verbatim * share)
  for (const ordinal of signals.holding ?? []) add(ordinal, 0)
  // A file that was found only by its path is shown from its beginning.
  if (scores.size === 0) add(0, 0)
  return Array.from(scores, ([ordinal, score]) => ({ ordinal, score }))
    .filter(({ ordinal }) => shown.accept(ordinal))
    .sort((a, b) => b.score - a.score || a.ordinal - b.ordinal)
    .slice(0, shown.limit)
    .map(({ ordinal, score }) =>
      rankedPlace(ordinal, score, () => signals.symbolOf(ordinal, bestName.get(ordinal)?.index)),
    )
}

/**
 * Looks up the symbol lazily: searching five repositories gives 100 files with up to 5 places each, of which 20 are
 * shown.
 */
function rankedPlace(ordinal: number, score: number, find: () => SymbolRow | null): RankedPlace {
  let found: SymbolRow | null | undefined
  return {
    ordinal,
    score,
    get symbol() {
      if (found === undefined) found = find()
      return found
    },
  }
}

function bestNames(candidate: CandidateFile, scale: Scale): Map<number, { f1: number; index: number }> {
  const best = new Map<number, { f1: number; index: number }>()
  for (const symbol of candidate.hit.symbols) {
    const f1 = nameF1(symbol, scale)
    const known = best.get(symbol.ordinal)
    if (known === undefined || f1 > known.f1) best.set(symbol.ordinal, { f1, index: symbol.index })
  }
  return best
}
