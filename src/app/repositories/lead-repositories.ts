import { AmanError } from "../../base/errors.ts"
import { OpenFolder } from "../../base/files/open-folder.ts"
import { cannotWrite } from "../../base/system-error.ts"
import { LeaderLock } from "../../store/lock/lead.ts"
import type { Configured } from "./configured.ts"

const FIRST_POLL_MS = 10
const MAX_POLL_MS = 500

/**
 * Lock for writing clones, indexes and the manifest; null if another process held it for all of
 * repos.sync_timeout.
 */
export async function leadRepositories(
  { places, config }: Pick<Configured, "places" | "config">,
  signal?: AbortSignal,
): Promise<LeaderLock | null> {
  makeFolder(places.state)
  const until = performance.now() + config.syncTimeoutMs
  for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(MAX_POLL_MS, pollMs * 2)) {
    if (signal?.aborted) throw new AmanError("INTERRUPTED", "interrupted while another aman was syncing")
    const lead = LeaderLock.take(places.state)
    if (lead !== null) return lead
    const leftMs = until - performance.now()
    if (leftMs <= 0) return null
    await Bun.sleep(Math.min(pollMs, leftMs))
  }
}

function makeFolder(folder: string): void {
  try {
    OpenFolder.open(folder, { make: 0o700 })[Symbol.dispose]()
  } catch (cause) {
    throw cannotWrite(folder, cause, "make it writable, or set AMAN_REPOS_BASE_DIR to another folder")
  }
}
