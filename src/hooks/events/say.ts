import type { HookCall } from "../agents/hook-call.ts"
import { Page } from "../facts.ts"
import type { Clock } from "../place.ts"
import { HookPlace } from "../place.ts"
import type { Session } from "../session.ts"
import { HOW_TO_KEEP, isCheck, noteFixed, passesAgain } from "./after-tool.ts"
import { beforeTool } from "./before-tool.ts"
import { promptSubmit } from "./prompt-submit.ts"
import { sessionStart } from "./session-start.ts"
import { noteSaid, unsaid } from "./stop.ts"
import { subagentStart } from "./subagent-start.ts"

/** The hook's text for a call, from notes and index; null if none. */
export async function say(call: HookCall, session: Session, clock: Clock): Promise<string | null> {
  using place = new HookPlace(call.cwd || process.cwd(), clock)
  if (!place.config.hooks.speaks[call.event]) return null
  switch (call.event) {
    case "session-start":
      return await sessionStart(call, place, session)
    case "prompt-submit":
      return promptSubmit(call, place, session)
    case "pre-tool-use":
      return beforeTool(call, place, session)
    case "post-tool-use":
      return isCheck(call) ? passing(call, place, session) : beforeTool(call, place, session)
    case "stop":
      return nothingKept(place, session)
    case "subagent-start":
      return subagentStart(place)
  }
}

function passing(call: HookCall, place: HookPlace, session: Session): string | null {
  const name = passesAgain(call, session)
  if (name === null || !noteFixed(session, name, place.lastEvent)) return null
  return paragraph(place, [`\`${name}\` failed earlier in this session and passes now.`, ...HOW_TO_KEEP])
}

/**
 * Text at the end of a turn. It makes the agent continue for another turn, so it is given once, and only if a
 * fix was not remembered.
 */
function nothingKept(place: HookPlace, session: Session): string | null {
  const fixed = unsaid(session, place.now.getTime(), place.config.hooks.stopIntervalMs)
  if (fixed === null || place.lastEvent > fixed.event || !noteSaid(session)) return null
  return paragraph(place, [
    `In this session \`${fixed.name}\` failed and passes now; nothing was remembered since.`,
    ...HOW_TO_KEEP,
    "If there is none, nothing is missing.",
  ])
}

function paragraph({ config }: HookPlace, lines: readonly string[]): string | null {
  const page = new Page(config.hooks.tokens.tool)
  page.add(lines)
  return page.text
}
