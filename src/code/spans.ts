/** Start and end offsets, alternating, of spans that do not overlap; ascending. */
export type Spans = Uint32Array

/** Start of the span that contains `offset`; Infinity if no span contains it. */
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

/** Sorts spans and merges those that overlap, such as a doc comment inside a comment. */
export function mergeSpans(pairs: readonly number[]): Uint32Array {
  const order = Array.from({ length: pairs.length / 2 }, (_, index) => index * 2)
  order.sort((one, other) => pairs[one]! - pairs[other]!)
  const joined: number[] = []
  for (const at of order) {
    const start = pairs[at]!
    const end = pairs[at + 1]!
    const last = joined.length - 1
    if (last > 0 && start < joined[last]!) joined[last] = Math.max(joined[last]!, end)
    else if (end > start) joined.push(start, end)
  }
  return new Uint32Array(joined)
}
