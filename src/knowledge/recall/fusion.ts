import { Best } from "./best.ts"
import type { Scores } from "./scores.ts"

/** A channel's entries, best first, and what it counts. */
export type RankedChannel = { readonly slots: readonly number[]; readonly weight: number }

/** Cormack et al. 2009; damps the head so that one channel alone cannot decide the order. */
const RRF_K = 60

/** Reciprocal rank fusion: agreement between channels beats a high place in one. */
export function fuse(channels: readonly RankedChannel[]): Map<number, number> {
  const scores = new Map<number, number>()
  for (const { slots, weight } of channels) {
    for (const [place, slot] of slots.entries()) {
      scores.set(slot, (scores.get(slot) ?? 0) + weight / (RRF_K + place + 1))
    }
  }
  return scores
}

/** The slots of the greatest scores. */
export function ranking(scores: Scores, limit: number, nameOf: (slot: number) => string): readonly number[] {
  const best = new Best(limit, nameOf)
  for (let i = 0; i < scores.count; i++) best.add(scores.slots[i]!, scores.of(scores.slots[i]!))
  return best.slots()
}
