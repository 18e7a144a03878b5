import { isCheck, passesAgain } from "./after-tool.ts"
import type { Clock } from "./clock.ts"
import { concerns } from "./concerns.ts"
import type { HookCall } from "./hook-call.ts"
import { Session } from "./session.ts"
import { unsaid } from "./stop.ts"

/** What there is to say to a call; null: nothing. What can be told without opening anything is told so. */
export async function speak(call: HookCall, clock: Clock): Promise<string | null> {
  if (!concerns(call)) return null
  const session = new Session(call.session, clock.now.getTime())
  const isChecked = call.event === "post-tool-use" && isCheck(call)
  if (isChecked && passesAgain(call, session) === null) return null
  if (call.event === "stop" && unsaid(session, clock.now.getTime(), 0) === null) return null
  const { say } = await import("./say.ts")
  return say(call, session, clock)
}
