import { acceptsText } from "../agents/answer-format.ts"
import type { HookCall } from "../agents/hook-call.ts"
import { namesIn } from "../notes/pattern-names.ts"
import { isCheck } from "./after-tool.ts"

const MIN_CHARACTERS = 12

/**
 * True if the hook may have text for this call, judged by the call alone. False for most calls, which then end.
 */
export function mayHaveText(call: HookCall): boolean {
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

/** True for a call after which Gemini CLI gets the context that other agents get before the tool. */
export function isAmbientAfter(call: HookCall): boolean {
  return call.agent === "gemini-cli" && call.tool?.failed !== true && isAboutCode(call)
}

function isAboutCode({ tool }: HookCall): boolean {
  return tool !== null && (tool.paths.length > 0 || namesIn(tool.pattern).length > 0)
}

/** True unless the prompt is an agent command or very short, like "go on". */
function isPlainPrompt(prompt: string): boolean {
  const text = prompt.trim()
  return text.length >= MIN_CHARACTERS && !/^[/!#]\S*$/.test(text)
}
