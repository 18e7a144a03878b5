import type { SessionLog } from "../session-log.ts"
import { FIXED } from "./after-tool.ts"

const MENTIONED = "stop"

export type FixedCommand = {
  readonly name: string
  /** Sequence number of the memory's last event when the build or test passed again. */
  readonly event: number
}

/**
 * The latest fix that was not mentioned yet; null if there is none, or if the hook has mentioned one within the
 * interval.
 */
export function unmentionedFix(session: SessionLog, now: number, intervalMs: number): FixedCommand | null {
  const notes = session.notes()
  const mentionedAt = notes.findLastIndex(({ what }) => what === MENTIONED)
  if (mentionedAt >= 0 && notes[mentionedAt]!.at > now - intervalMs) return null
  const fixed = notes.slice(mentionedAt + 1).findLast(({ what }) => what === FIXED)
  if (fixed === undefined) return null
  const [about = "", event = ""] = fixed.about.split("@")
  return { name: decodeURIComponent(about), event: Number(event) }
}

/** False if it cannot be noted; the hook then stays silent, or it would repeat itself. */
export function noteMentioned(session: SessionLog): boolean {
  return session.note(MENTIONED)
}
