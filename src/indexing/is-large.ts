import type { Store } from "../store/store.ts"

// Below it a worker's 60 ms of starting are dearer than what an old one holds.
const LARGE_CHUNKS = 15_000

/** Whether an index is so large that folding it should begin with an empty worker and leave none behind. */
export function isLarge(store: Store): boolean {
  return store.files.totals().chunks > LARGE_CHUNKS
}
