/** A place where two sentences differ between words that they share. */
export type Gap = {
  readonly a: readonly string[]
  readonly b: readonly string[]
  /** Where it begins in the first list. */
  readonly at: number
}

/** Where two lists of words differ, in order, by their longest common subsequence. */
export function gapsBetween(a: readonly string[], b: readonly string[]): Gap[] {
  const lengths = commonLengths(a, b)
  const width = b.length + 1
  const gaps: Gap[] = []
  let [onlyA, onlyB]: [string[], string[]] = [[], []]
  let [i, j] = [0, 0]
  const close = () => {
    if (onlyA.length + onlyB.length > 0) gaps.push({ a: onlyA, b: onlyB, at: i - onlyA.length })
    onlyA = []
    onlyB = []
  }
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      close()
      i++
      j++
    } else if (
      j >= b.length ||
      (i < a.length && lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!)
    )
      onlyA.push(a[i++]!)
    else onlyB.push(b[j++]!)
  }
  close()
  return gaps
}

/** Row i, column j: of the longest common subsequence of what is left from i and j on. */
function commonLengths(a: readonly string[], b: readonly string[]): Uint16Array {
  const width = b.length + 1
  const lengths = new Uint16Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i--) {
    const one = a[i]!
    for (let j = b.length - 1, at = i * width + j; j >= 0; j--, at--) {
      lengths[at] =
        one === b[j] ? lengths[at + width + 1]! + 1 : Math.max(lengths[at + width]!, lengths[at + 1]!)
    }
  }
  return lengths
}
