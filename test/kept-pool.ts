import { WorkerPool } from "../src/index/pipeline/worker-pool.ts"

class KeptPool extends WorkerPool {
  override close(): void {
    // Outside of tests it would keep the process running.
    if (process.env["NODE_ENV"] !== "test") this.shrink()
  }
}

/**
 * One thread for all projects of a process, because starting one and loading its parser takes four times as long as
 * indexing a small project.
 */
export const keptPool: WorkerPool = new KeptPool(1)
