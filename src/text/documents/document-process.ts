import { decodeText } from "../files/read-source.ts"
import type { DocumentReply, DocumentTask, DocumentText } from "./document-text.ts"
import type { WatchedWork } from "./document-watchdog.ts"
import { DocumentWork } from "./document-work.ts"
import { officeText, svgText } from "./office-text.ts"
import { isSvg } from "./svg-file.ts"

/**
 * The program of the process that reads documents, one at a time. It uses nothing but the bytes that it is sent, ends
 * when its parent ends, and is ended by its own watchdog when a document takes too much time or memory.
 */

const watchdog = new Worker(new URL("./document-watchdog.ts", import.meta.url), {
  type: "module",
  smol: true,
})

process.on("message", async (task: DocumentTask) => {
  const { limits } = task
  const work = new DocumentWork(limits)
  watchdog.postMessage({
    untilMs: cpuMs() + limits.maxCpuMs,
    maxBytes: limits.maxMemoryBytes,
  } satisfies WatchedWork)
  const found = await extractText(task, work).catch(() => "binary" as const)
  const text = work.exceeded ?? found
  watchdog.postMessage(null)
  const memoryBytes = process.memoryUsage.rss()
  process.send?.({ text, cpuMs: cpuMs(), memoryBytes } satisfies DocumentReply)
})
process.on("disconnect", () => process.exit(0))

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

async function extractText({ path, bytes }: DocumentTask, work: DocumentWork): Promise<DocumentText> {
  if (isSvg(path)) {
    const decoded = decodeText(bytes)
    return decoded === null ? "binary" : svgText(decoded.text, work)
  }
  if (!/\.pdf$/i.test(path)) return officeText(path, bytes, work)
  const { pdfText } = await import("./pdf-text.ts")
  return pdfText(bytes, work)
}
