import { readFileSync } from "node:fs"

/** How much of a file that this process maps is resident, in bytes; `path` or its end. Linux: proc_pid_smaps(5). */
export function residentOf(path: string): number {
  const mappings = readFileSync("/proc/self/smaps", "utf8").split(/^(?=[\da-f]+-[\da-f]+ )/m)
  return mappings
    .filter((each) => each.split("\n")[0]!.endsWith(path))
    .reduce((sum, each) => sum + Number(/^Rss:\s+(\d+)/m.exec(each)![1]) * 1024, 0)
}
