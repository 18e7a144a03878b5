import { heapSize } from "bun:jsc"

const GARBAGE_BYTES = 32 << 20

/**
 * For long loops: collects garbage each time so many bytes have come since the last time. Left alone a busy
 * thread's heap grows to several times what it holds.
 */
export function collector(garbageBytes: number = GARBAGE_BYTES): () => void {
  let held = heapSize()
  return () => {
    if (heapSize() - held < garbageBytes) return
    Bun.gc(true)
    held = heapSize()
  }
}
