import type { ServerContext } from "@modelcontextprotocol/server"
import type { IndexPhase, IndexProgress } from "../../../base/index.ts"

/** The call that is being answered: its signal aborts when the client cancels it. */
export type ToolCallExtra = Pick<ServerContext["mcpReq"], "signal" | "_meta" | "notify">

const PHASES: readonly IndexPhase[] = ["scan", "parse", "merge", "embed", "link", "send"]
const MESSAGES: Readonly<Record<IndexPhase, string>> = {
  scan: "scanning files",
  parse: "reading files",
  merge: "merging the index",
  embed: "computing vectors",
  link: "linking vectors",
  send: "computing vectors",
}

/**
 * Returns a function that reports indexing progress to the waiting client; undefined if the client did not ask for
 * progress. The reported share of the whole run never falls, as the protocol requires; all phases count equally in it.
 */
export function callProgress({
  _meta,
  notify,
}: ToolCallExtra): ((progress: IndexProgress) => void) | undefined {
  const progressToken = _meta?.progressToken
  if (progressToken === undefined) return undefined
  let reportedShare = -1
  let reportedAt = Number.NEGATIVE_INFINITY
  return ({ phase, done, total }) => {
    const share = (PHASES.indexOf(phase) + (total === 0 ? 0 : done / total)) / PHASES.length
    const now = performance.now()
    if (share <= reportedShare || now - reportedAt < 100) return
    reportedShare = share
    reportedAt = now
    const message = total === 0 ? MESSAGES[phase] : `${MESSAGES[phase]}: ${done} of ${total}`
    const params = { progressToken, progress: share, total: 1, message }
    notify({ method: "notifications/progress", params }).catch(() => {})
  }
}
