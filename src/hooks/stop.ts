import { FIXED } from "./after-tool.ts"
import type { Session } from "./session.ts"

const SAID = "stop"

export type Fixed = {
  readonly name: string
  /** Number of the last thing that had happened to what is known. */
  readonly event: number
}

/** What was fixed and not spoken of yet; null where there is nothing, or where something was said just now. */
export function unsaid(session: Session, now: number, intervalMs: number): Fixed | null {
  const notes = session.notes()
  const said = notes.findLastIndex(({ what }) => what === SAID)
  if (said >= 0 && notes[said]!.at > now - intervalMs) return null
  const fixed = notes.slice(said + 1).findLast(({ what }) => what === FIXED)
  if (fixed === undefined) return null
  const [about = "", event = ""] = fixed.about.split("@")
  return { name: decodeURIComponent(about), event: Number(event) }
}

/** False where it cannot be noted: then it would be said each time. */
export function noteSaid(session: Session): boolean {
  return session.note(SAID)
}
