import type { HookAgent, HookEvent } from "../base/hook-events.ts"
import type { HookCall } from "./hook-call.ts"

/** Whether the agent puts before its model what a hook of this event says; where not, there is nothing to do. */
export function canSpeak({ agent, event }: Pick<HookCall, "agent" | "event">): boolean {
  return !MUTE[agent].includes(event)
}

/**
 * Gemini CLI has no context before a tool, only after it, and takes what its hook says at the end of a turn for a
 * rejection of the answer. Cursor's sub-agents can be allowed or denied, and told nothing.
 */
const MUTE: Readonly<Record<HookAgent, readonly HookEvent[]>> = {
  "claude-code": [],
  codex: [],
  "gemini-cli": ["pre-tool-use", "stop", "subagent-start"],
  cursor: ["subagent-start"],
}

/**
 * The text in exactly the form that the agent reads; nothing but what its contract names, as Codex refuses the rest.
 */
export function answerOf(call: HookCall, text: string): string {
  return `${JSON.stringify(formOf(call, text))}\n`
}

function formOf(call: HookCall, text: string): object {
  if (call.agent === "cursor") return cursorForm(call, text)
  // Codex knows no context here: its reason is what the model goes on with.
  if (call.agent === "codex" && call.event === "stop") return { decision: "block", reason: text }
  return { hookSpecificOutput: { hookEventName: eventName(call), additionalContext: text } }
}

/** No permission is among it: that would decide in the user's place. */
function cursorForm({ event }: HookCall, text: string): object {
  if (event === "stop") return { followup_message: text }
  if (event === "prompt-submit") return { continue: true, additional_context: text }
  return { additional_context: text }
}

/** The answer has to name the event as the call did; a failed tool has one of its own. */
function eventName({ agent, event, named }: HookCall): string {
  const names = NAMES[agent === "gemini-cli" ? "gemini-cli" : "claude-code"]
  const usual = names[event]
  return event === "post-tool-use" && named === FAILURE ? FAILURE : usual
}

const FAILURE = "PostToolUseFailure"

type Names = Readonly<Record<HookEvent, string>>

const NAMES: { readonly [Key in "claude-code" | "gemini-cli"]: Names } = {
  "claude-code": {
    "session-start": "SessionStart",
    "prompt-submit": "UserPromptSubmit",
    "pre-tool-use": "PreToolUse",
    "post-tool-use": "PostToolUse",
    stop: "Stop",
    "subagent-start": "SubagentStart",
  },
  "gemini-cli": {
    "session-start": "SessionStart",
    "prompt-submit": "BeforeAgent",
    "pre-tool-use": "BeforeTool",
    "post-tool-use": "AfterTool",
    stop: "AfterAgent",
    "subagent-start": "SubagentStart",
  },
}
