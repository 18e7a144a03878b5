/** Rows so near to each other are read at once: another read costs as much as the three between. */
const NEAR = 4

/** The last of ascending numbers, from place `from` on, before which there is no gap. */
export function lastOfRun(numbers: readonly number[], from: number): number {
  let last = from
  while (last + 1 < numbers.length && numbers[last + 1]! - numbers[last]! <= NEAR) last++
  return numbers[last]!
}
