import { join } from "node:path"
import type { HookAgent, HookEvent } from "../hook-events.ts"
import type { JsonObject } from "./hook-call.ts"

export type SampleOf = {
  readonly session: string
  readonly cwd: string
  readonly prompt: string
  /** Path of the sample's file, relative to `cwd`. */
  readonly file: string
  readonly pattern: string
}

/** A sample call in this agent's format. */
export function sampleCall(agent: HookAgent, event: HookEvent, of: SampleOf): JsonObject {
  const common = { session_id: of.session, transcript_path: null, cwd: of.cwd }
  switch (agent) {
    case "claude-code":
      return { ...common, permission_mode: "default", ...likeClaude(event, of) }
    case "codex":
      return { ...common, turn_id: "1", model: "model", permission_mode: "default", ...likeClaude(event, of) }
    case "gemini-cli":
      return { ...common, timestamp: "2026-01-01T00:00:00.000Z", ...likeGemini(event, of) }
    case "cursor":
      return {
        ...{ conversation_id: of.session, generation_id: "1", model: "model", cursor_version: "2.3.0" },
        ...{ workspace_roots: [of.cwd], user_email: null, transcript_path: null },
        ...likeCursor(event, of),
      }
    case "copilot-cli":
      return { cwd: of.cwd, timestamp: "2026-01-01T00:00:00.000Z", ...likeCopilot(event, of) }
  }
}

function likeClaude(event: HookEvent, { cwd, prompt, file, pattern }: SampleOf): JsonObject {
  switch (event) {
    case "session-start":
      return { hook_event_name: "SessionStart", source: "startup" }
    case "prompt-submit":
      return { hook_event_name: "UserPromptSubmit", prompt }
    case "pre-tool-use":
      return file === ""
        ? { hook_event_name: "PreToolUse", tool_name: "Grep", tool_input: { pattern } }
        : { hook_event_name: "PreToolUse", tool_name: "Read", tool_input: { file_path: join(cwd, file) } }
    case "post-tool-use":
      return {
        ...{ hook_event_name: "PostToolUse", tool_name: "Bash", tool_input: { command: "npm test" } },
        tool_response: { stdout: "ok", stderr: "", interrupted: false },
      }
    case "stop":
      return { hook_event_name: "Stop", stop_hook_active: false, last_assistant_message: "Done." }
    case "subagent-start":
      return { hook_event_name: "SubagentStart", agent_id: "1", agent_type: "Explore" }
  }
}

function likeGemini(event: HookEvent, { cwd, prompt, file, pattern }: SampleOf): JsonObject {
  const tool =
    file === ""
      ? { tool_name: "grep_search", tool_input: { pattern } }
      : { tool_name: "read_file", tool_input: { file_path: join(cwd, file) } }
  switch (event) {
    case "session-start":
      return { hook_event_name: "SessionStart", source: "startup" }
    case "prompt-submit":
      return { hook_event_name: "BeforeAgent", prompt }
    case "pre-tool-use":
      return { hook_event_name: "BeforeTool", ...tool }
    case "post-tool-use":
      return { hook_event_name: "AfterTool", ...tool, tool_response: { llmContent: "…", returnDisplay: "" } }
    case "stop":
      return { hook_event_name: "AfterAgent", prompt, prompt_response: "Done.", stop_hook_active: false }
    case "subagent-start":
      return {}
  }
}

function likeCursor(event: HookEvent, { cwd, prompt, file, pattern }: SampleOf): JsonObject {
  switch (event) {
    case "session-start":
      return { hook_event_name: "sessionStart", is_background_agent: false, composer_mode: "agent" }
    case "prompt-submit":
      return { hook_event_name: "beforeSubmitPrompt", prompt, attachments: [] }
    case "pre-tool-use":
      return file === ""
        ? { hook_event_name: "preToolUse", tool_name: "Grep", tool_input: { pattern }, cwd }
        : { hook_event_name: "preToolUse", tool_name: "Read", tool_input: { path: join(cwd, file) }, cwd }
    case "post-tool-use":
      return {
        ...{ hook_event_name: "postToolUse", tool_name: "Shell", tool_input: { command: "npm test" }, cwd },
        ...{ tool_output: '{"output":"ok","exitCode":0}', duration: 1 },
      }
    case "stop":
      return { hook_event_name: "stop", status: "completed", loop_count: 0 }
    case "subagent-start":
      return { hook_event_name: "subagentStart", subagent_type: "explore", prompt }
  }
}

function likeCopilot(event: HookEvent, { session, cwd, prompt, file, pattern }: SampleOf): JsonObject {
  const tool =
    file === ""
      ? { tool_name: "grep", tool_input: { pattern } }
      : { tool_name: "view", tool_input: { path: join(cwd, file) } }
  switch (event) {
    case "session-start":
      return { hook_event_name: "SessionStart", session_id: session, source: "new" }
    case "prompt-submit":
      return { hook_event_name: "UserPromptSubmit", session_id: session, prompt }
    case "pre-tool-use":
      return { hook_event_name: "PreToolUse", session_id: session, ...tool }
    case "post-tool-use":
      return {
        ...{ hook_event_name: "PostToolUse", session_id: session, ...tool },
        tool_result: { result_type: "success", text_result_for_llm: "…" },
      }
    case "stop":
      return {
        ...{ hook_event_name: "Stop", session_id: session, transcript_path: "transcript.jsonl" },
        ...{ stop_reason: "end_turn", stop_hook_active: false },
      }
    case "subagent-start":
      return { sessionId: session, transcriptPath: "transcript.jsonl", agentName: "explore" }
  }
}
