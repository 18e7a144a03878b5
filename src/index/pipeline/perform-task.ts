import { errorFields } from "../../base/index.ts"
import { loadParse } from "../../parse/index.ts"
import type { WorkerReply, WorkerResults, WorkerTask } from "./worker-pool.ts"

type Post = (message: WorkerReply) => void

/** Performs a task in this thread and returns its reply; progress is posted. It loads only the modules that its kind needs. */
export async function replyTo(task: WorkerTask, post: Post): Promise<WorkerReply> {
  const wasmBytes = async () => (task.kind === "parse" ? (await loadParse()).wasmMemoryBytes() : 0)
  try {
    return { result: await perform(task, post), wasmBytes: await wasmBytes() }
  } catch (error) {
    return { error: errorFields(error), wasmBytes: await wasmBytes() }
  }
}

/** The part of a worker that a pool uses, for tasks in this thread: a thread takes 20 ms of processor time to start. */
export function thisThread(): Worker {
  const thread = {
    onmessage: null as ((event: { readonly data: WorkerReply }) => void) | null,
    addEventListener: () => {},
    terminate: () => {},
    postMessage: (task: WorkerTask) => {
      const post = (data: WorkerReply) => thread.onmessage?.({ data })
      void replyTo(task, post).then(post)
    },
  }
  return thread as unknown as Worker
}

async function perform(task: WorkerTask, post: Post): Promise<WorkerResults[keyof WorkerResults]> {
  const reportProgress = seldom(post)
  switch (task.kind) {
    case "scan":
      return (await import("../changes/detect-changes.ts")).runScanTask(task)
    case "parse":
      return (await import("./parse-batch.ts")).parseBatch(task, (progress) => post({ progress }))
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

const PROGRESS_MS = 100

function seldom(post: Post) {
  let reportedAt = 0
  return (progress: number, linking?: number): void => {
    const now = performance.now()
    if (now - reportedAt < PROGRESS_MS) return
    reportedAt = now
    post({ progress, linking })
  }
}
