import { readFileSync } from "node:fs"

/**
 * Resident bytes of a file that this process maps; `path` is its path or the end of it. Linux:
 * proc_pid_smaps(5).
 */
export function residentOf(path: string): number {
  const mappings = readFileSync("/proc/self/smaps", "utf8").split(/^(?=[\da-f]+-[\da-f]+ )/m)
  return mappings
    .filter((each) => each.split("\n")[0]!.endsWith(path))
    .reduce((sum, each) => sum + Number(/^Rss:\s+(\d+)/m.exec(each)![1]) * 1024, 0)
}
