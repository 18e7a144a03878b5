import { heapSize } from "bun:jsc"

const GARBAGE_BYTES = 32 << 20

/**
 * For long loops: returns a function that collects garbage whenever the heap has grown by this many bytes
 * since the last collection. Without it a busy thread's heap grows to several times its live data.
 */
export function collector(garbageBytes: number = GARBAGE_BYTES): () => void {
  let heapBytes = heapSize()
  return () => {
    if (heapSize() - heapBytes < garbageBytes) return
    Bun.gc(true)
    heapBytes = heapSize()
  }
}
