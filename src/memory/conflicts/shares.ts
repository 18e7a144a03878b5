import type { Vocabulary } from "./content-stems.ts"

/** The sum of the rarity of some stems. */
export function raritySum(stems: Iterable<string>, { rarityOf }: Vocabulary): number {
  let sum = 0
  for (const stem of stems) sum += rarityOf(stem)
  return sum
}

/** The sum of the rarity of the stems that both sets contain. */
export function sharedRarity(
  a: ReadonlySet<string>,
  b: ReadonlySet<string>,
  { rarityOf }: Vocabulary,
): number {
  const [few, many] = a.size <= b.size ? [a, b] : [b, a]
  let sum = 0
  for (const stem of few) if (many.has(stem)) sum += rarityOf(stem)
  return sum
}

type WeightedStems = {
  readonly stemSet: ReadonlySet<string>
  /** Sum of the rarity of all stems in the set. */
  readonly rarity: number
}

/**
 * Similarity of two statements, 0 to 1: the shared rarity as a share of the smaller sum. The denominator is
 * at least `MIN_RARITY_SUM`, so that a single rare word is no similarity.
 */
export function sharedOfSmaller(a: WeightedStems, b: WeightedStems, words: Vocabulary): number {
  const smaller = Math.min(a.rarity, b.rarity)
  return smaller === 0 ? 0 : sharedRarity(a.stemSet, b.stemSet, words) / Math.max(smaller, MIN_RARITY_SUM)
}

const MIN_RARITY_SUM = 2
