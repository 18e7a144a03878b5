/** A row of two texts beside each other; null if the text on that side has no line in this row. */
export type DiffRow = { readonly left: string | null; readonly right: string | null }

/**
 * For texts with more lines than this, line n is shown beside line n, because the table of common subsequences would be
 * too large.
 */
const MAX_LINES = 600

/** The lines of two texts, with equal ones in the same row. */
export function sideBySide(before: string, after: string): DiffRow[] {
  const [a, b] = [before.split("\n"), after.split("\n")]
  if (a.length > MAX_LINES || b.length > MAX_LINES) return paired(a, b)
  const lengths = commonLengths(a, b)
  const rows: DiffRow[] = []
  let [left, right]: [string[], string[]] = [[], []]
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      rows.push(...paired(left, right), { left: a[i]!, right: b[j]! })
      ;[left, right] = [[], []]
      i++
      j++
    } else if (j >= b.length || (i < a.length && lengths[i + 1]![j]! >= lengths[i]![j + 1]!))
      left.push(a[i++]!)
    else right.push(b[j++]!)
  }
  return [...rows, ...paired(left, right)]
}

function paired(left: readonly string[], right: readonly string[]): DiffRow[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, nth) => ({
    left: left[nth] ?? null,
    right: right[nth] ?? null,
  }))
}

/** Table [i][j]: length of the longest common subsequence of the lines of `a` from i on and those of `b` from j on. */
function commonLengths(a: readonly string[], b: readonly string[]): number[][] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0))
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i]![j] =
        a[i] === b[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!)
  return lengths
}
