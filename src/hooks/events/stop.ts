import type { Session } from "../session.ts"
import { FIXED } from "./after-tool.ts"

const SAID = "stop"

export type Fixed = {
  readonly name: string
  /** Sequence number of the memory's last event at that time. */
  readonly event: number
}

/** The latest fix not mentioned yet; null if there is none, or if the hook spoke within the interval. */
export function unsaid(session: Session, now: number, intervalMs: number): Fixed | null {
  const notes = session.notes()
  const said = notes.findLastIndex(({ what }) => what === SAID)
  if (said >= 0 && notes[said]!.at > now - intervalMs) return null
  const fixed = notes.slice(said + 1).findLast(({ what }) => what === FIXED)
  if (fixed === undefined) return null
  const [about = "", event = ""] = fixed.about.split("@")
  return { name: decodeURIComponent(about), event: Number(event) }
}

/** False if it cannot be noted; the hook then stays silent, or it would repeat itself. */
export function noteSaid(session: Session): boolean {
  return session.note(SAID)
}
