import type { SignalName } from "./dispositions.ts"

/** Max time the main thread may stay busy after a signal, and after standard input was closed. */
export type ShutdownLimits = { readonly afterSignalMs: number; readonly afterInputMs: number }

/** Start message of the watching thread. */
export type WatcherStart = {
  readonly limits: ShutdownLimits
  readonly signals: readonly SignalName[]
  /** The main thread writes the number of the last ping here. */
  readonly answered: Int32Array
}

/**
 * Starts a thread that ends the process when the main thread stays busy after a signal or after standard
 * input was closed. The thread does not keep the process alive.
 */
export function watchShutdown(signals: readonly SignalName[], limits: ShutdownLimits): void {
  const answered = new Int32Array(new SharedArrayBuffer(4))
  let worker: Worker
  try {
    worker = new Worker(new URL("./shutdown-thread.ts", import.meta.url), { smol: true })
  } catch {
    // The system refuses a thread; see onerror.
    return
  }
  worker.onmessage = ({ data }: MessageEvent<number>) => void Atomics.store(answered, 0, data)
  // If the thread fails, a signal is handled as soon as the main thread is free.
  worker.onerror = (event) => event.preventDefault()
  // Checked together with the page's code, where a Worker is a browser's.
  ;(worker as Worker & { unref(): void }).unref()
  worker.postMessage({ signals, answered, limits } satisfies WatcherStart)
}
