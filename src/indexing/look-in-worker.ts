import type { Look } from "./look.ts"
import type { LookTask } from "./messages.ts"
import type { ScanResult } from "./scan-result.ts"
import { unpackScan } from "./scan-snapshot.ts"
import type { WorkerPool } from "./worker-pool.ts"

/** Looks at the files of a project while this thread does something else. */
export async function lookInWorker(pool: WorkerPool, task: Omit<LookTask, "kind">): Promise<Look> {
  const look = await pool.run({ kind: "look", ...task })
  let scan: ScanResult | undefined
  return { ...look, scan: () => (scan ??= unpackScan(look.snapshot)!) }
}
