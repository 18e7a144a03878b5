import { errorFields } from "../../base/index.ts"
import { loadParse, loadSyntaxTree } from "../../parse/index.ts"
import type { Notice, ParserModule, WorkerReply, WorkerResults, WorkerTask } from "./worker-pool.ts"

declare const self: Worker

// A worker thread runs one task at a time and sends one reply for each. A task loads only the modules that its kind
// needs.
self.onmessage = async ({ data }: MessageEvent<WorkerTask | ParserModule | Notice>) => {
  if (data === "parse soon") return loadParser()
  if ("module" in data) return receiveModule(data)
  const reply = await replyTo(data)
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

async function replyTo(task: WorkerTask): Promise<WorkerReply> {
  try {
    return { result: await perform(task), wasmBytes: await wasmBytes(task) }
  } catch (error) {
    return { error: errorFields(error), wasmBytes: await wasmBytes(task) }
  }
}

async function perform(task: WorkerTask): Promise<WorkerResults[keyof WorkerResults]> {
  switch (task.kind) {
    case "scan":
      return (await import("../changes/detect-changes.ts")).runScanTask(task)
    case "parse": {
      const { parseBatch } = await loadParser()
      return parseBatch(task, (progress) => self.postMessage({ progress } satisfies WorkerReply))
    }
    case "embed":
      return (await import("../embedding/embed-batch.ts")).embedBatch(task)
    case "embed-part":
      return (await import("../embedding/embed-batch.ts")).embedPart(task, reportProgress)
    case "merge-keyword":
      return (await import("./merge-keyword.ts")).mergeKeyword(task)
    case "merge-vectors":
      return (await import("../embedding/merge-vectors-task.ts")).mergeVectors(task, reportProgress)
    case "rank":
      return (await import("./rank-files.ts")).rankFiles(task)
  }
}

/** Loads the parser. The parser gets its compiled modules from the main thread. */
async function loadParser() {
  const [{ compileModule, takeModulesFrom }, parser] = await Promise.all([
    loadSyntaxTree(),
    import("./parse-batch.ts"),
  ])
  takeModulesFrom(async (key) => (await requestModule(key)) ?? compileModule(key))
  return parser
}

const awaited = new Map<string, (module: WebAssembly.Module | null) => void>()

/** Requests a module that the main thread has compiled; null when this thread must compile it itself. */
function requestModule(key: string): Promise<WebAssembly.Module | null> {
  return new Promise((resolve) => {
    awaited.set(key, resolve)
    self.postMessage({ neededModule: key } satisfies WorkerReply)
  })
}

function receiveModule({ key, module }: ParserModule): void {
  awaited.get(key)?.(module)
  awaited.delete(key)
}

const PROGRESS_MS = 100
let reportedAt = 0

function reportProgress(done: number, linking?: number): void {
  const now = performance.now()
  if (now - reportedAt < PROGRESS_MS) return
  reportedAt = now
  self.postMessage({ progress: done, linking } satisfies WorkerReply)
}

async function wasmBytes(task: WorkerTask): Promise<number> {
  if (task.kind !== "parse") return 0
  return (await loadParse()).wasmMemoryBytes()
}
