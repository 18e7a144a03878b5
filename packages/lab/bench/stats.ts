/** The smallest value such that at least this share (0 to 1) of the values are not larger (nearest rank). */
export function percentile(values: readonly number[], share: number): number {
  if (values.length === 0) return Number.NaN
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

/** `count` values spread evenly over the list, the same in every run. */
export function sample<T>(values: readonly T[], count: number): T[] {
  if (values.length <= count) return [...values]
  return Array.from({ length: count }, (_, i) => values[Math.floor((i * values.length) / count)]!)
}
