import type { FeatureShare } from "./explain.ts"
import type { Candidate } from "./features.ts"
import type { Scale } from "./query-scale.ts"

/**
 * What counts where meaning alone is the order: a file that speaks of it in several places, as a whole and by its path
 * comes before one with a single chunk as near. NDCG@10 on the labelled queries .85, by the best chunk alone .76:
 * docs/decisions/0023-word-table.md.
 */
export function meaningShares({ meaning, cosine }: Candidate): FeatureShare[] {
  // A space beside the built-in one has a cosine for the best chunk only.
  if (meaning) return [share("cosine_best", meaning.cosine, 1)]
  return [
    share("cosine_best", cosine.best, 0.5),
    share("cosine_top_three", cosine.topThree, 1),
    share("cosine_file", cosine.file, 0.5),
    share("cosine_path", cosine.path, 0.5),
  ]
}

/** Similar code is similar chunk by chunk: meaning and words count alike, what the file is called does not. */
export function likenessShares({ cosine, hit }: Candidate, { answer }: Scale): FeatureShare[] {
  const words = (hit.chunks[0]?.score ?? 0) / (answer.maxChunk + 1e-6)
  return [share("cosine_best", cosine.best, 1), share("chunk_bm25", words, 1)]
}

function share(name: string, value: number, weight: number): FeatureShare {
  return { name, value, weight, contribution: value * weight }
}
