import type { Bag, Pair } from "./pair.ts"

/** Each pair once. Two pairs are the same if both sides have the same words, in any number and order. */
export function distinctPairs(pairs: readonly Pair[]): Pair[] {
  const seen = new Set<bigint>()
  return pairs.filter(({ left, right }) => {
    const key = wordsKey(left) * 31n + wordsKey(right)
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}

function wordsKey(bag: Bag): bigint {
  let key = 0n
  for (const hash of bag.keys()) key ^= hash
  return key
}
