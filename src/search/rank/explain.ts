import { FEATURE_NAMES } from "./feature-rows.ts"
import type { RankedFile, WeightTable } from "./rank.ts"
import { verbatimBonus, weightsOf } from "./rank.ts"

export type FeatureShare = {
  readonly name: string
  readonly value: number
  readonly weight: number
  readonly contribution: number
}

/**
 * Returns every non-zero share of a file's sum, largest first. The shares, including `folder`, `verbatim`,
 * `meaning` and `best page`, add up to the sum.
 */
export function explainRank(
  ranked: RankedFile,
  table: WeightTable,
  folderBonus: number,
  meaning: { readonly value: number; readonly weight: number } = { value: 0, weight: 0 },
): FeatureShare[] {
  const weights = weightsOf(table)
  const shares: FeatureShare[] = []
  FEATURE_NAMES.forEach((name, index) => {
    const value = ranked.features[index]!
    const weight = weights[index]!
    if (value !== 0 && weight !== 0) shares.push({ name, value, weight, contribution: value * weight })
  })
  if (folderBonus !== 0) {
    shares.push({ name: "folder", value: 1, weight: folderBonus, contribution: folderBonus })
  }
  const verbatim = ranked.candidate.verbatim ?? 0
  if (verbatim !== 0) {
    shares.push({
      name: "verbatim",
      value: verbatim,
      weight: verbatimBonus(table),
      contribution: verbatim * verbatimBonus(table),
    })
  }
  if (meaning.value !== 0) {
    shares.push({ name: "meaning", ...meaning, contribution: meaning.value * meaning.weight })
  }
  if (ranked.lift)
    shares.push({ name: "best page", value: 1, weight: ranked.lift, contribution: ranked.lift })
  return shares.sort((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution))
}
