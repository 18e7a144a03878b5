/** The first index in [low, high) for which `isBelow` is false; `high` if there is none. It is true up to that index. */
export function firstNot(low: number, high: number, isBelow: (index: number) => boolean): number {
  let [from, to] = [low, high]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (isBelow(middle)) from = middle + 1
    else to = middle
  }
  return from
}

/** The first index in [low, high) of ascending numbers that is `value` or greater; `high` if there is none. */
export function firstAtLeast(
  sorted: ArrayLike<number>,
  value: number,
  low = 0,
  high = sorted.length,
): number {
  let [from, to] = [low, high]
  while (from < to) {
    const middle = (from + to) >>> 1
    if (sorted[middle]! < value) from = middle + 1
    else to = middle
  }
  return from
}

/** Index of the last of ascending numbers in [low, high) that is `value` or less; `low` − 1 if there is none. */
export function lastAtMost(sorted: ArrayLike<number>, value: number, low = 0, high = sorted.length): number {
  return firstNot(low, high, (index) => sorted[index]! <= value) - 1
}
