/** Of a joined row; as many of the table's numbers, and of hashed buckets folded upon each other. */
const HALF = 256
const HASHED = 768

/**
 * Rows of the table's 256 numbers and of static768's, the latter folded to 256, in rows of length 1: the cosine of two
 * such rows is the mean of the cosines. Where a half is all zeros the other stands alone.
 */
export function joinRows(trained: Float32Array, hashed: Float32Array): Float32Array {
  const count = trained.length / HALF
  const rows = new Float32Array(count * 2 * HALF)
  for (let row = 0; row < count; row++) {
    const at = row * 2 * HALF
    for (let i = 0; i < HALF; i++) rows[at + i] = trained[row * HALF + i]!
    for (let i = 0; i < HASHED; i++) rows[at + HALF + (i % HALF)]! += hashed[row * HASHED + i]!
    const words = squaresOf(rows, at)
    const letters = squaresOf(rows, at + HALF)
    const share = words > 0 && letters > 0 ? Math.SQRT1_2 : 1
    scale(rows, at, words, share)
    scale(rows, at + HALF, letters, share)
  }
  return rows
}

function squaresOf(rows: Float32Array, at: number): number {
  let squares = 0
  for (let i = at; i < at + HALF; i++) squares += rows[i]! * rows[i]!
  return squares
}

function scale(rows: Float32Array, at: number, squares: number, length: number): void {
  const by = squares > 0 ? length / Math.sqrt(squares) : 0
  for (let i = at; i < at + HALF; i++) rows[i] = rows[i]! * by
}
