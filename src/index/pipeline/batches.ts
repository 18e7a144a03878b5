export type Sized = { readonly size: number }

/**
 * Sizes of batches in bytes. Below `min`, starting another worker takes longer than it saves; `max` is the largest
 * batch.
 */
export type BatchBytes = { readonly min: number; readonly max: number }

const PARSE_BYTES: BatchBytes = { min: 24 << 10, max: 512 << 10 }
const MAX_BATCH_FILES = 256
// Up to this many batches of minimal size, one worker is as fast as two.
const SINGLE_WORKER_BATCHES = 4
// Each worker gets several batches, so that one slow file does not leave the other workers idle at the end.
const BATCHES_PER_WORKER = 6
// Batches become smaller towards the end: a batch is at most the remaining bytes, divided by the number of workers and
// by this number.
const LAST_SHARES_PER_WORKER = 2

/** Cuts a list of files into batches of about equal bytes, without changing the order; the last batches are smaller. */
export function batchesOf<T extends Sized>(
  files: readonly T[],
  workers: number,
  { min, max }: BatchBytes = PARSE_BYTES,
): T[][] {
  const batches: T[][] = []
  const total = files.reduce((sum, file) => sum + file.size, 0)
  const fair = Math.min(max, Math.max(min * SINGLE_WORKER_BATCHES, total / (workers * BATCHES_PER_WORKER)))
  let left = total
  let limit = limitOf(left)
  let current: T[] = []
  let bytes = 0
  for (const file of files) {
    if (current.length > 0 && (bytes + file.size > limit || current.length === MAX_BATCH_FILES)) {
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
    if (total <= min * SINGLE_WORKER_BATCHES) return total
    return Math.min(fair, Math.max(min, left / (workers * LAST_SHARES_PER_WORKER)))
  }
}
