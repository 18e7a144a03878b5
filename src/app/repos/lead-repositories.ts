import { mkdirSync } from "node:fs"
import { cannotWrite } from "../../base/cannot-write.ts"
import { AmanError } from "../../base/errors.ts"
import { Lead } from "../../store/lead.ts"
import type { Configured } from "./configured.ts"

const FIRST_POLL_MS = 10
const LONGEST_POLL_MS = 500

/** The right to write clones, indexes and manifest; null where another process had it for all of repos.sync_timeout. */
export async function leadRepositories(
  { places, config }: Pick<Configured, "places" | "config">,
  signal?: AbortSignal,
): Promise<Lead | null> {
  makeFolder(places.state)
  const until = performance.now() + config.syncTimeoutMs
  for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(LONGEST_POLL_MS, pollMs * 2)) {
    if (signal?.aborted) throw new AmanError("INTERRUPTED", "interrupted while another aman was syncing")
    const lead = Lead.take(places.state)
    if (lead !== null) return lead
    const leftMs = until - performance.now()
    if (leftMs <= 0) return null
    await Bun.sleep(Math.min(pollMs, leftMs))
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw cannotWrite(folder, cause, "make it writable, or name another folder with AMAN_REPOS_BASE_DIR")
  }
}
