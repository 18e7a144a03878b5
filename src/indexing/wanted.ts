import { closeSync, constants, futimesSync, openSync, statSync } from "node:fs"
import { join } from "node:path"

// A file whose time says when somebody last asked the leader to look: processes on one index share nothing else.
const NAME = "wanted"

/** Asks whoever leads this index to look at the project's files soon. */
export function want(folder: string, now: Date): void {
  const path = join(folder, NAME)
  // Not through a link that a project's history may have put there.
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0), 0o644)
  try {
    futimesSync(file, now, now)
  } finally {
    closeSync(file)
  }
}

/** When somebody last asked, in milliseconds; 0 where nobody did. */
export function wantedAt(folder: string): number {
  return statSync(join(folder, NAME), { throwIfNoEntry: false })?.mtimeMs ?? 0
}
