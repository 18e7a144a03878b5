/** Starts and ends of spans that do not overlap, in turn and in order. */
export type Spans = Uint32Array

/** Where the span around `offset` starts; Infinity if it lies in none. */
export function startOfSpan(spans: Spans, offset: number): number {
  let low = 0
  let high = spans.length / 2
  while (low < high) {
    const middle = (low + high) >> 1
    if (spans[middle * 2 + 1]! <= offset) low = middle + 1
    else high = middle
  }
  const start = spans[low * 2]
  return start !== undefined && start <= offset ? start : Number.POSITIVE_INFINITY
}

export function isInSpan(spans: Spans, offset: number): boolean {
  return startOfSpan(spans, offset) <= offset
}
