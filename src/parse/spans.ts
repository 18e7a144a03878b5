import { firstNot } from "../base/index.ts"

/** Start and end offsets, alternating, of spans that do not overlap; ascending. */
export type Spans = Uint32Array

/** Start of the span that contains `offset`; Infinity if no span contains it. */
export function startOfSpan(spans: Spans, offset: number): number {
  const start = spans[2 * firstNot(0, spans.length / 2, (i) => spans[i * 2 + 1]! <= offset)]
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
