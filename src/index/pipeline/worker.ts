import { loadSyntaxTree } from "../../parse/index.ts"
import { replyTo } from "./perform-task.ts"
import type { Notice, ParserModule, WorkerReply, WorkerTask } from "./worker-pool.ts"

declare const self: Worker

const post = (message: WorkerReply) => self.postMessage(message)

// A worker thread runs one task at a time and sends one reply for each.
self.onmessage = async ({ data }: MessageEvent<WorkerTask | ParserModule | Notice>) => {
  if (data === "parse soon") return loadParser()
  if ("module" in data) return awaited.get(data.key)?.(data.module)
  if (data.kind === "parse") await loadParser()
  const reply = await replyTo(data, post)
  self.postMessage(reply, handedOver(reply))
}

/**
 * Buffers of the reply that are transferred instead of copied: the buffer of a snapshot, which can be megabytes, unless
 * it also contains other data.
 */
function handedOver(reply: WorkerReply): ArrayBuffer[] {
  const result = "result" in reply ? reply.result : null
  const snapshot = result !== null && "snapshot" in result ? result.snapshot : null
  if (snapshot === null || !(snapshot.buffer instanceof ArrayBuffer)) return []
  return snapshot.byteLength === snapshot.buffer.byteLength ? [snapshot.buffer] : []
}

/** Loads the parser. The parser gets its compiled modules from the main thread. */
async function loadParser(): Promise<void> {
  const [{ compileModule, takeModulesFrom }] = await Promise.all([
    loadSyntaxTree(),
    import("./parse-batch.ts"),
  ])
  takeModulesFrom(async (key) => (await requestModule(key)) ?? compileModule(key))
}

const awaited = new Map<string, (module: WebAssembly.Module | null) => void>()

/** Requests a module that the main thread has compiled; null when this thread must compile it itself. */
function requestModule(key: string): Promise<WebAssembly.Module | null> {
  return new Promise((resolve) => {
    awaited.set(key, resolve)
    post({ neededModule: key })
  })
}
