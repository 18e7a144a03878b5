import type { HookAgent, HookEvent } from "../base/hook-events.ts"
import { withoutPrivate } from "../knowledge/private-text.ts"
import { agentOf, type Environment } from "./agents.ts"
import { type Json, objectOf, textOf } from "./json.ts"
import type { ToolCall } from "./tool-call.ts"
import { toolCall } from "./tools.ts"

/** What happened, whichever agent says so. */
export type HookCall = {
  readonly event: HookEvent
  readonly agent: HookAgent
  /** As the agent calls it: PreToolUse, BeforeTool, preToolUse; "" where it does not say. */
  readonly named: string
  /** One conversation, or one sub-agent of it: what was said to one, the other has not read. */
  readonly session: string
  /** "" where the agent does not say. */
  readonly cwd: string
  /** Of a session's start: startup, resume, clear, compact, fork. */
  readonly source: string
  /** Without what is marked as private. */
  readonly prompt: string
  readonly tool: ToolCall | null
  /** The agent goes on because of a stop hook. */
  readonly isContinued: boolean
}

/** Out of an agent's JSON; what is missing or of another form is as if it had not been said. */
export function hookCall(event: HookEvent, asked: string | null, input: Json, env: Environment): HookCall {
  const it = objectOf(input)
  const agent = agentOf(asked, it, env)
  const session = textOf(it["session_id"]) || textOf(it["conversation_id"])
  const inner = textOf(it["agent_id"])
  return {
    event,
    agent,
    named: textOf(it["hook_event_name"]),
    session: JSON.stringify([session, inner]),
    cwd: cwdOf(it, env),
    source: textOf(it["source"]),
    prompt: withoutPrivate(textOf(it["prompt"]).slice(0, MOST_PROMPT)),
    tool: toolCall(it),
    isContinued: it["stop_hook_active"] === true || isPositive(it["loop_count"]),
  }
}

function isPositive(value: Json | undefined): boolean {
  return typeof value === "number" && value > 0
}

/** What a longer one begins with tells what it is about. */
const MOST_PROMPT = 20_000

const PROJECT_VARIABLES = ["CLAUDE_PROJECT_DIR", "CURSOR_PROJECT_DIR", "GEMINI_PROJECT_DIR"] as const

function cwdOf(it: { readonly [key: string]: Json }, env: Environment): string {
  const roots = it["workspace_roots"]
  const first = Array.isArray(roots) ? textOf(roots[0]) : ""
  const named = PROJECT_VARIABLES.map((name) => env[name]).find((value) => value)
  return textOf(it["cwd"]) || first || named || ""
}
