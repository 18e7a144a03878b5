export type Sized = { readonly size: number }

const SMALLEST_BATCH_BYTES = 96 * 1024
const LARGEST_BATCH_BYTES = 512 * 1024
const LARGEST_BATCH_FILES = 256
// Several batches per worker, so that one slow file does not leave the others idle at the end.
const BATCHES_PER_WORKER = 6

/** Cuts a list of files into batches of about equal bytes, in the given order. */
export function batchesOf<T extends Sized>(files: readonly T[], workers: number): T[][] {
  const total = files.reduce((sum, file) => sum + file.size, 0)
  const fair = total / (workers * BATCHES_PER_WORKER)
  const limit = Math.min(LARGEST_BATCH_BYTES, Math.max(SMALLEST_BATCH_BYTES, fair))
  const batches: T[][] = []
  let current: T[] = []
  let bytes = 0
  for (const file of files) {
    if (current.length > 0 && (bytes + file.size > limit || current.length === LARGEST_BATCH_FILES)) {
      batches.push(current)
      current = []
      bytes = 0
    }
    current.push(file)
    bytes += file.size
  }
  if (current.length > 0) batches.push(current)
  return batches
}
