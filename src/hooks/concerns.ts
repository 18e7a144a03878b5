import { isCheck } from "./after-tool.ts"
import { canSpeak } from "./answer.ts"
import type { HookCall } from "./hook-call.ts"
import { namesIn } from "./pattern-names.ts"

const LEAST_CHARACTERS = 12

/** Whether there may be anything to say, by the call alone: most calls are about nothing of this. */
export function concerns(call: HookCall): boolean {
  if (!canSpeak(call)) return false
  switch (call.event) {
    case "prompt-submit":
      return isTelling(call.prompt)
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

/** Gemini CLI takes context only after a tool: there it gets what others get before. */
export function isAmbientAfter(call: HookCall): boolean {
  return call.agent === "gemini-cli" && call.tool?.failed !== true && isAboutCode(call)
}

function isAboutCode({ tool }: HookCall): boolean {
  return tool !== null && (tool.paths.length > 0 || namesIn(tool.pattern).length > 0)
}

/** Neither a command of the agent's own nor "go on". */
function isTelling(prompt: string): boolean {
  const text = prompt.trim()
  return text.length >= LEAST_CHARACTERS && !/^[/!#]\S*$/.test(text)
}
