import type { Vocabulary } from "./content-stems.ts"

/** The rarity of some stems together. */
export function raritySum(stems: Iterable<string>, { rarityOf }: Vocabulary): number {
  let sum = 0
  for (const stem of stems) sum += rarityOf(stem)
  return sum
}

/** Of the smaller one's, the share that the other has too; one rare word alone is no likeness. */
export function sharedOfSmaller(a: ReadonlySet<string>, b: ReadonlySet<string>, words: Vocabulary): number {
  const smaller = Math.min(raritySum(a, words), raritySum(b, words))
  return smaller === 0 ? 0 : raritySum(a.intersection(b), words) / Math.max(smaller, FEWEST)
}

const FEWEST = 2
