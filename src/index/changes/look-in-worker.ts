import type { LookTask } from "../pipeline/messages.ts"
import type { WorkerPool } from "../pipeline/worker-pool.ts"
import type { ScanResult } from "../scan/scan-result.ts"
import { unpackScan } from "../scan/scan-snapshot.ts"
import type { Look } from "./look.ts"

/** Scans a project in a worker, so that this thread can do something else. */
export async function lookInWorker(pool: WorkerPool, task: Omit<LookTask, "kind">): Promise<Look> {
  const look = await pool.run({ kind: "look", ...task })
  let scan: ScanResult | undefined
  return { ...look, scan: () => (scan ??= unpackScan(look.snapshot)!) }
}
