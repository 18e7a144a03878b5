import type { HookCall } from "../agents/hook-call.ts"
import type { Clock } from "../place.ts"
import { Session } from "../session.ts"
import { isCheck, passesAgain } from "./after-tool.ts"
import { concerns } from "./concerns.ts"
import { unsaid } from "./stop.ts"

/** The hook's text for a call; null if none. Cases that need no store are decided first. */
export async function speak(call: HookCall, clock: Clock): Promise<string | null> {
  if (!concerns(call)) return null
  const session = new Session(call.session, clock.now.getTime())
  const isChecked = call.event === "post-tool-use" && isCheck(call)
  if (isChecked && passesAgain(call, session) === null) return null
  if (call.event === "stop" && unsaid(session, clock.now.getTime(), 0) === null) return null
  const { say } = await import("./say.ts")
  return say(call, session, clock)
}
