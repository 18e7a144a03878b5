// Cormack, Clarke, Büttcher 2009; damps the head so that one list alone cannot decide the order.
export const RRF_K = 60

export type RankedList = { readonly ids: readonly number[]; readonly weight: number }

/** Reciprocal rank fusion, Σ weight / (k + rank); a list that lacks an id gives it nothing (seed 000, 3.2). */
export function fuse(lists: readonly RankedList[], k: number = RRF_K): Map<number, number> {
  const scores = new Map<number, number>()
  for (const { ids, weight } of lists) {
    ids.forEach((id, index) => {
      scores.set(id, (scores.get(id) ?? 0) + weight / (k + index + 1))
    })
  }
  return scores
}
