import { statSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"

// A file whose time says when somebody last asked the leader to look: processes on one index share nothing else.
const NAME = "wanted"

/** Asks whoever leads this index to look at the project's files soon. */
export function want(folder: string, now: Date): void {
  const path = join(folder, NAME)
  writeFileSync(path, "")
  utimesSync(path, now, now)
}

/** When somebody last asked, in milliseconds; 0 where nobody did. */
export function wantedAt(folder: string): number {
  return statSync(join(folder, NAME), { throwIfNoEntry: false })?.mtimeMs ?? 0
}
