import { writeSync } from "node:fs"
import type { DocumentFailure } from "./document-text.ts"

declare const self: Worker

/** Limits of the document that is being read: processor time of the process in ms, and its resident memory in bytes. */
export type WatchedWork = { readonly untilMs: number; readonly maxBytes: number }

const POLL_MS = 20

let timer: ReturnType<typeof setInterval> | null = null

// Null: the document has been read.
self.onmessage = ({ data }: MessageEvent<WatchedWork | null>) => {
  if (timer !== null) clearInterval(timer)
  timer = data === null ? null : setInterval(() => check(data), POLL_MS)
}

function check({ untilMs, maxBytes }: WatchedWork): void {
  const { user, system } = process.cpuUsage()
  if ((user + system) / 1000 > untilMs) end("too complex")
  if (process.memoryUsage.rss() > maxBytes) end("too much memory")
}

/** Tells the parent the reason and ends the process, whatever its other thread computes. */
function end(reason: DocumentFailure): void {
  writeSync(2, reason)
  process.kill(process.pid, "SIGKILL")
}
