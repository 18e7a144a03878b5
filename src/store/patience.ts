/**
 * How long statements wait for other processes, in ms; of the whole process, as waiting stops all of it. Less than
 * usual for one that would rather do without an answer than keep somebody waiting.
 */
export const patience = { mostMs: Number.POSITIVE_INFINITY }

export function waitAtMost(usualMs: number): number {
  return Math.min(usualMs, patience.mostMs)
}
