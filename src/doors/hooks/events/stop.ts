import type { SessionLog } from "../session-log.ts"
import { FIXED } from "./after-tool.ts"

const MENTIONED = "stop"

export type FixedCommand = {
  readonly name: string
  /** Sequence number of the memory's last event when the build or test passed again. */
  readonly event: number
}

/**
 * The latest fixed build or test that the hook has not mentioned yet. Null if there is none, or if the hook has
 * mentioned one within the interval.
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

/**
 * Records that the fix was mentioned. False if that cannot be recorded; the hook then stays silent, because it would
 * otherwise repeat itself.
 */
export function noteMentioned(session: SessionLog): boolean {
  return session.note(MENTIONED)
}
