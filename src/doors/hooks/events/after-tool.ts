import type { HookCall } from "../agents/hook-call.ts"
import { firstCheckName } from "../command-name.ts"
import type { SessionLog } from "../session-log.ts"

const FAILED = "failed"
export const FIXED = "fixed"

/** True if a build or test ran and its result is known. */
export function isCheck({ tool }: HookCall): boolean {
  return tool?.kind === "shell" && tool.failed !== null && firstCheckName(tool.command) !== null
}

/**
 * Records a failed build or test in the session's log. Returns the name of the command if it failed before in this
 * session and succeeds now; otherwise null.
 */
export function passesAgain({ tool }: HookCall, session: SessionLog): string | null {
  const name = tool === null ? null : firstCheckName(tool.command)
  if (tool === null || name === null) return null
  const about = encodeURIComponent(name)
  if (tool.failed) {
    noteFailed(session, name)
    return null
  }
  const last = session.notes().findLast((note) => note.about === about || note.about.startsWith(`${about}@`))
  return last?.what === FAILED ? name : null
}

export function noteFailed(session: SessionLog, name: string): void {
  session.note(FAILED, encodeURIComponent(name))
}

/**
 * Records in the session's log that a build or test succeeds again. `lastEvent`: number of the memory's last event.
 * False if it could not be recorded.
 */
export function noteFixed(session: SessionLog, name: string, lastEvent: number): boolean {
  return session.note(FIXED, `${encodeURIComponent(name)}@${lastEvent}`)
}

export const HOW_TO_KEEP = [
  "If a later session would have to find the cause again, keep it: with the tool remember, or the command",
  "aman remember TEXT --topic TOPIC --source PATH:LINE",
] as const
