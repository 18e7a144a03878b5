import { checkName } from "./command-name.ts"
import type { HookCall } from "./hook-call.ts"
import type { Session } from "./session.ts"

const FAILED = "failed"
export const FIXED = "fixed"

/** Whether a build or a test ran and one can tell how it ended. */
export function isCheck({ tool }: HookCall): boolean {
  return tool?.kind === "shell" && tool.failed !== null && checkName(tool.command) !== null
}

/** Notes a build or a test that failed; answers the name of one that failed before in this session and passes now. */
export function passesAgain({ tool }: HookCall, session: Session): string | null {
  const name = tool === null ? null : checkName(tool.command)
  if (tool === null || name === null) return null
  const about = encodeURIComponent(name)
  if (tool.failed) {
    noteFailed(session, name)
    return null
  }
  const last = session.notes().findLast((note) => note.about === about || note.about.startsWith(`${about}@`))
  return last?.what === FAILED ? name : null
}

export function noteFailed(session: Session, name: string): void {
  session.note(FAILED, encodeURIComponent(name))
}

/** `lastEvent`: number of the last that happened to what is known. False where it cannot be noted. */
export function noteFixed(session: Session, name: string, lastEvent: number): boolean {
  return session.note(FIXED, `${encodeURIComponent(name)}@${lastEvent}`)
}

export const HOW_TO_KEEP = [
  "The cause, if a later session would have to find it again, can be kept: by the tool remember, or by the command",
  "aman remember TEXT --topic TOPIC --source PATH:LINE",
] as const
