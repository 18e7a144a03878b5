import type { HookAgent, HookEvent } from "../hook-events.ts"
import type { HookCall } from "./hook-call.ts"

/** True if the agent passes a hook's answer to this event on to its model. */
export function acceptsText({ agent, event }: Pick<HookCall, "agent" | "event">): boolean {
  return !IGNORED_EVENTS[agent].includes(event)
}

/**
 * Events whose answer an agent ignores or misuses. Gemini CLI accepts context only after a tool, and takes a
 * hook's text at the end of a turn as a rejection of the answer. Cursor's sub-agents can be allowed or
 * denied, but get no context. Copilot CLI accepts no context before a tool and drops that of prompts.
 */
const IGNORED_EVENTS: Readonly<Record<HookAgent, readonly HookEvent[]>> = {
  "claude-code": [],
  codex: [],
  "gemini-cli": ["pre-tool-use", "stop", "subagent-start"],
  cursor: ["subagent-start"],
  "copilot-cli": ["prompt-submit", "pre-tool-use"],
}

/**
 * The hook's text in the answer format of the agent. The answer has no other fields, because Codex refuses unknown
 * fields.
 */
export function formatAnswer(call: HookCall, text: string): string {
  return `${JSON.stringify(answerObject(call, text))}\n`
}

function answerObject(call: HookCall, text: string): object {
  if (call.agent === "cursor") return cursorForm(call, text)
  // For this event Codex and Copilot accept no context. Their models continue the turn when the hook blocks with a reason.
  const isContinuedByBlock = call.agent === "codex" || call.agent === "copilot-cli"
  if (isContinuedByBlock && call.event === "stop") return { decision: "block", reason: text }
  if (call.agent === "copilot-cli") return { additionalContext: text }
  return { hookSpecificOutput: { hookEventName: eventName(call), additionalContext: text } }
}

/** The answer in Cursor's format. It never contains a permission, because the user decides about permissions. */
function cursorForm({ event }: HookCall, text: string): object {
  if (event === "stop") return { followup_message: text }
  if (event === "prompt-submit") return { continue: true, additional_context: text }
  return { additional_context: text }
}

/** Event name for the answer. It must be the name in the call; a failed tool has a separate one in Claude Code. */
function eventName({ agent, event, named }: HookCall): string {
  const names = NAMES[agent === "gemini-cli" ? "gemini-cli" : "claude-code"]
  const usual = names[event]
  return event === "post-tool-use" && named === FAILURE ? FAILURE : usual
}

const FAILURE = "PostToolUseFailure"

type EventNames = Readonly<Record<HookEvent, string>>

const NAMES: { readonly [Key in "claude-code" | "gemini-cli"]: EventNames } = {
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
