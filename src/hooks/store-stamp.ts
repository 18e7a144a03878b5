import { statSync } from "node:fs"

/** Changes with every commit to a database: the file, or the log beside it. Opening one may touch a log without one. */
export function stampOf(path: string): string {
  return `${partOf(path)} ${partOf(`${path}-wal`)}`
}

function partOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat === undefined || stat.size === 0 ? "-" : `${stat.size}-${stat.mtimeMs}-${stat.ino}`
}
