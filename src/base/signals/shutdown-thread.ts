import { isInputClosed, wasReceived } from "./dispositions.ts"
import type { WatcherStart } from "./watch-shutdown.ts"

declare const self: Worker

const CHECK_MS = 500
self.onmessage = ({ data: { signals, answered, limits } }: MessageEvent<WatcherStart>) => {
  let signalAt: number | null = null
  let question = 0
  let askedAt: number | null = null
  setInterval(() => {
    const now = performance.now()
    if (signals.some(wasReceived)) signalAt ??= now
    if (signalAt !== null && now - signalAt > limits.afterSignalMs) killProcess()
    if (!isInputClosed()) {
      askedAt = null
      return
    }
    if (askedAt !== null && Atomics.load(answered, 0) === question) askedAt = null
    if (askedAt !== null && now - askedAt > limits.afterInputMs) killProcess()
    if (askedAt === null) {
      askedAt = now
      self.postMessage(++question)
    }
  }, CHECK_MS)
}

/**
 * Sends SIGKILL, the only signal that is sure to end a busy process. All files are written so that this cannot damage
 * them.
 */
function killProcess(): void {
  process.kill(process.pid, "SIGKILL")
}
