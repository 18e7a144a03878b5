import { statSync } from "node:fs"

/**
 * What tells a file from another later put in its place; "" where there is none. A stat opens nothing, so it leaves
 * SQLite's locks alone.
 */
export function fileIdentity(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat === undefined ? "" : `${stat.dev}:${stat.ino}`
}
