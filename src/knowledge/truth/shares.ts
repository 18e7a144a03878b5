import type { Vocabulary } from "./content-stems.ts"

/** The rarity of some stems together. */
export function raritySum(stems: Iterable<string>, { rarityOf }: Vocabulary): number {
  let sum = 0
  for (const stem of stems) sum += rarityOf(stem)
  return sum
}

/** Of those that both have. */
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

type Stems = {
  readonly stemSet: ReadonlySet<string>
  /** Of all of them together. */
  readonly rarity: number
}

/** Of the smaller one's, the share that the other has too; one rare word alone is no likeness. */
export function sharedOfSmaller(a: Stems, b: Stems, words: Vocabulary): number {
  const smaller = Math.min(a.rarity, b.rarity)
  return smaller === 0 ? 0 : sharedRarity(a.stemSet, b.stemSet, words) / Math.max(smaller, FEWEST)
}

const FEWEST = 2
