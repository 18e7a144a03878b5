export type Sized = { readonly size: number }

/** Of a batch: what is not worth another worker's start, and what is enough to have under way. */
export type BatchBytes = { readonly least: number; readonly most: number }

const PARSE_BYTES: BatchBytes = { least: 24 << 10, most: 512 << 10 }
const LARGEST_BATCH_FILES = 256
// What is done as soon by one worker as by two.
const ONE_BATCH = 4
// Several batches per worker, so that one slow file does not leave the others idle at the end …
const BATCHES_PER_WORKER = 6
// … and small ones at last, of which each is a share of what is left.
const LAST_SHARES_PER_WORKER = 2

/** Cuts a list of files into batches of about equal bytes, the last ones smaller, in the given order. */
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
