import { acceptsText } from "../agents/answer-format.ts"
import type { HookCall } from "../agents/hook-call.ts"
import type { Clock } from "../hook-sources.ts"
import { namesInPattern } from "../notes/pattern-names.ts"
import { SessionLog } from "../session-log.ts"
import { isCheck, passesAgain } from "./after-tool.ts"
import { unmentionedFix } from "./stop.ts"

/**
 * The hook's text for a call; null if there is none. Calls that can be decided without opening a store are decided
 * first.
 */
export async function hookText(call: HookCall, clock: Clock): Promise<string | null> {
  if (!mayHaveText(call)) return null
  const session = new SessionLog(call.session, clock.now.getTime())
  const isChecked = call.event === "post-tool-use" && isCheck(call)
  if (isChecked && passesAgain(call, session) === null) return null
  if (call.event === "stop" && unmentionedFix(session, clock.now.getTime(), 0) === null) return null
  const { textFromSources } = await import("./text-from-sources.ts")
  return textFromSources(call, session, clock)
}

/**
 * True if the hook may have text for this call, as far as the call itself shows. False for most calls; for these
 * nothing is opened.
 */
function mayHaveText(call: HookCall): boolean {
  if (!acceptsText(call)) return false
  switch (call.event) {
    case "prompt-submit":
      return isPlainPrompt(call.prompt)
    case "pre-tool-use":
      return isAboutCode(call)
    case "post-tool-use":
      return isCheck(call) || isAmbientAfter(call)
    case "stop":
      return !call.isContinued
    case "session-start":
    case "subagent-start":
      return true
  }
}

/**
 * True for a call after a tool that used files or searched, of an agent that accepts no context before a tool; the hook
 * adds it after the tool.
 */
function isAmbientAfter(call: HookCall): boolean {
  const isBeforeIgnored = !acceptsText({ agent: call.agent, event: "pre-tool-use" })
  return isBeforeIgnored && call.tool?.failed !== true && isAboutCode(call)
}

function isAboutCode({ tool }: HookCall): boolean {
  return tool !== null && (tool.paths.length > 0 || namesInPattern(tool.pattern).length > 0)
}

/** True unless the prompt is an agent command or very short, like "go on". */
function isPlainPrompt(prompt: string): boolean {
  const text = prompt.trim()
  return text.length >= 12 && !/^[/!#]\S*$/.test(text)
}
