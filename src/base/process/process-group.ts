import { readdirSync, readFileSync } from "node:fs"

/** Kills a child that leads a process group, together with the processes that it has started. */
export function endGroup(child: {
  readonly pid?: number | undefined
  kill(signal: "SIGKILL"): unknown
}): void {
  try {
    if (child.pid !== undefined && process.platform !== "win32") process.kill(-child.pid, "SIGKILL")
  } catch {
    // The group has already ended.
  }
  child.kill("SIGKILL")
}

/** Resident memory of a process group in bytes; 0 if /proc is not available. */
export function memoryOfGroup(group: number | undefined): number {
  if (process.platform !== "linux" || group === undefined) return 0
  let pages = 0
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue
    try {
      const fields = readFileSync(`/proc/${name}/stat`, "latin1")
        .replace(/^.*\) /s, "")
        .split(" ")
      if (Number(fields[2]) === group) pages += Number(fields[21])
    } catch {
      // The process has ended in the meantime.
    }
  }
  return pages * 4096
}
