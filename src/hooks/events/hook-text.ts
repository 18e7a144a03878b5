import type { HookCall } from "../agents/hook-call.ts"
import type { Clock } from "../hook-sources.ts"
import { decidedSentences } from "../notes/decided-sentences.ts"
import { SessionLog } from "../session-log.ts"
import { isCheck, passesAgain } from "./after-tool.ts"
import { mayHaveText } from "./may-have-text.ts"
import { unmentionedFix } from "./stop.ts"

/** The hook's text for a call; null if none. Cases that need no store are decided first. */
export async function hookText(call: HookCall, clock: Clock): Promise<string | null> {
  if (!mayHaveText(call)) return null
  const session = new SessionLog(call.session, clock.now.getTime())
  const isChecked = call.event === "post-tool-use" && isCheck(call)
  if (isChecked && passesAgain(call, session) === null) return null
  if (call.event === "stop") {
    const isFixed = unmentionedFix(session, clock.now.getTime(), 0) !== null
    if (!isFixed && decidedSentences(call.said).length === 0) return null
  }
  const { textFromSources } = await import("./text-from-sources.ts")
  return textFromSources(call, session, clock)
}
