export type Sized = { readonly size: number }

/**
 * Bytes of a batch: `least`, below which starting another worker does not pay, and `most`, the largest batch
 * to have in progress.
 */
export type BatchBytes = { readonly least: number; readonly most: number }

const PARSE_BYTES: BatchBytes = { least: 24 << 10, most: 512 << 10 }
const LARGEST_BATCH_FILES = 256
// Up to this many minimal batches, one worker is as fast as two.
const ONE_BATCH = 4
// Several batches per worker, so that one slow file does not leave the others idle at the end …
const BATCHES_PER_WORKER = 6
// … and small batches towards the end, each a share of the remaining bytes.
const LAST_SHARES_PER_WORKER = 2

/**
 * Cuts a list of files into batches of about equal bytes in the given order; the last batches are smaller.
 */
export function batchesOf<T extends Sized>(
  files: readonly T[],
  workers: number,
  { least, most }: BatchBytes = PARSE_BYTES,
): T[][] {
  const batches: T[][] = []
  const total = files.reduce((sum, file) => sum + file.size, 0)
  const fair = Math.min(most, Math.max(least * ONE_BATCH, total / (workers * BATCHES_PER_WORKER)))
  let left = total
  let limit = limitOf(left)
  let current: T[] = []
  let bytes = 0
  for (const file of files) {
    if (current.length > 0 && (bytes + file.size > limit || current.length === LARGEST_BATCH_FILES)) {
      batches.push(current)
      left -= bytes
      limit = limitOf(left)
      current = []
      bytes = 0
    }
    current.push(file)
    bytes += file.size
  }
  if (current.length > 0) batches.push(current)
  return batches

  function limitOf(left: number): number {
    if (total <= least * ONE_BATCH) return total
    return Math.min(fair, Math.max(least, left / (workers * LAST_SHARES_PER_WORKER)))
  }
}
