import type { HookAgent, HookEvent } from "../../hooks/hook-events.ts"

export type HookDialect = HookAgent

type RegisteredHook = { readonly name: string; readonly event: HookEvent; readonly matcher?: string }

type Dialect = {
  readonly events: readonly RegisteredHook[]
  /** Timeout in the agent's own unit, enough for a slow disk; normal hooks are much faster. */
  readonly timeout: number
  /** True if handlers are in groups with a matcher, like Claude Code's. */
  readonly isGrouped: boolean
}

// Gemini CLI accepts context only after a tool, so the after-hook replaces the before-hook.
const GEMINI_TOOLS =
  "glob|grep_search|read_file|read_many_files|replace|run_shell_command|search_file_content|write_file"

/** Events whose answer reaches the model; sources: docs/clients.md. */
export const DIALECTS: Readonly<Record<HookDialect, Dialect>> = {
  "claude-code": {
    events: likeClaudeCode({
      before: "Bash|Edit|Glob|Grep|NotebookEdit|Read|Write",
      // Claude Code reports failed commands by a separate event.
      after: ["PostToolUse", "PostToolUseFailure"],
      shells: "Bash|PowerShell",
    }),
    timeout: 5,
    isGrouped: true,
  },
  codex: {
    events: likeClaudeCode({ before: "Bash|Edit|Write|apply_patch", after: ["PostToolUse"], shells: "Bash" }),
    timeout: 5,
    isGrouped: true,
  },
  "gemini-cli": {
    events: [
      { name: "SessionStart", event: "session-start" },
      { name: "BeforeAgent", event: "prompt-submit" },
      { name: "AfterTool", event: "post-tool-use", matcher: GEMINI_TOOLS },
    ],
    // Gemini CLI's unit is milliseconds; the others use seconds.
    timeout: 5000,
    isGrouped: true,
  },
  cursor: {
    events: [
      { name: "sessionStart", event: "session-start" },
      { name: "beforeSubmitPrompt", event: "prompt-submit" },
      { name: "preToolUse", event: "pre-tool-use", matcher: "Grep|Read|Shell|Write" },
      { name: "postToolUse", event: "post-tool-use", matcher: "Shell" },
      { name: "postToolUseFailure", event: "post-tool-use", matcher: "Shell" },
      { name: "stop", event: "stop" },
    ],
    timeout: 5,
    isGrouped: false,
  },
  // Copilot CLI drops the answer of a command to prompts and accepts no context before a tool. Names in Pascal case
  // select calls with the field names of the other agents; only sub-agents have none.
  "copilot-cli": {
    events: [
      { name: "SessionStart", event: "session-start" },
      { name: "PostToolUse", event: "post-tool-use", matcher: "bash|create|edit|grep|glob|powershell|view" },
      { name: "subagentStart", event: "subagent-start" },
      { name: "Stop", event: "stop" },
    ],
    timeout: 5,
    isGrouped: false,
  },
}

type Tools = { readonly before: string; readonly after: readonly string[]; readonly shells: string }

/** Codex has the same events as Claude Code, but other names of tools. */
function likeClaudeCode({ before, after, shells }: Tools): RegisteredHook[] {
  return [
    { name: "SessionStart", event: "session-start" },
    { name: "UserPromptSubmit", event: "prompt-submit" },
    { name: "PreToolUse", event: "pre-tool-use", matcher: before },
    ...after.map((name) => ({ name, event: "post-tool-use", matcher: shells }) as const),
    { name: "SubagentStart", event: "subagent-start" },
    { name: "Stop", event: "stop" },
  ]
}
