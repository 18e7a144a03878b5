import type { TokenTable } from "./token-table.ts"

// A rank of -1, of what is no token, as it stands among numbers without a sign: above all others.
const NONE = 0xffff_ffff

/**
 * In how many tokens byte pair encoding leaves a piece of text, the first `length` bytes: of all neighbours those of
 * the lowest rank become one, the first of them where several are alike, until no two are a token together.
 */
export function countPieceTokens(bytes: Uint8Array, length: number, table: TokenTable): number {
  if (length < 2 || table.rankOf(bytes, 0, length) >= 0) return Math.min(length, 1)
  // A part begins at starts[i] and ends where the next begins; ranks[i] is that of part i with the one after it.
  const starts = new Uint32Array(length + 1)
  for (let at = 1; at <= length; at++) starts[at] = at
  const ranks = new Uint32Array(length - 1)
  for (let i = 0; i < length - 1; i++) ranks[i] = table.rankOf(bytes, i, i + 2)
  for (let parts = length; ; parts--) {
    const lowest = indexOfLowest(ranks, parts - 1)
    if (lowest < 0) return parts
    starts.copyWithin(lowest + 1, lowest + 2, parts + 1)
    ranks.copyWithin(lowest, lowest + 1, parts - 1)
    if (lowest < parts - 2) ranks[lowest] = table.rankOf(bytes, starts[lowest]!, starts[lowest + 2]!)
    if (lowest > 0) ranks[lowest - 1] = table.rankOf(bytes, starts[lowest - 1]!, starts[lowest + 1]!)
  }
}

/** -1 where no two are a token together. */
function indexOfLowest(ranks: Uint32Array, count: number): number {
  let lowest = NONE
  let index = -1
  for (let i = 0; i < count; i++) {
    if (ranks[i]! >= lowest) continue
    lowest = ranks[i]!
    index = i
  }
  return index
}
