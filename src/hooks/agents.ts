import { HOOK_AGENTS, type HookAgent } from "../base/hook-events.ts"
import type { JsonObject } from "./json.ts"

export type Environment = Readonly<Record<string, string | undefined>>

/** Events that no other agent has by these names. */
const GEMINI_EVENTS: ReadonlySet<unknown> = new Set(["BeforeAgent", "AfterAgent", "BeforeTool", "AfterTool"])

/**
 * Who calls: as the command line says, else by the JSON, else by the environment. Cursor runs the hooks of Claude
 * Code's settings, too, and takes only its own answers: it says who it is in each call.
 */
export function agentOf(asked: string | null, input: JsonObject, env: Environment): HookAgent {
  if ("cursor_version" in input) return "cursor"
  const named = HOOK_AGENTS.find((agent) => agent === asked)
  if (named !== undefined) return named
  if ("conversation_id" in input || "workspace_roots" in input) return "cursor"
  if (GEMINI_EVENTS.has(input["hook_event_name"]) || ("timestamp" in input && !("turn_id" in input)))
    return "gemini-cli"
  if ("turn_id" in input) return "codex"
  return byEnvironment(env)
}

function byEnvironment(env: Environment): HookAgent {
  if (env["CLAUDE_PROJECT_DIR"] && !env["GEMINI_PROJECT_DIR"]) return "claude-code"
  if (env["GEMINI_PROJECT_DIR"]) return "gemini-cli"
  if (env["CURSOR_VERSION"]) return "cursor"
  return "claude-code"
}
