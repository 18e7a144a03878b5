/** The events at which agents call `aman hook`. */
export const HOOK_EVENTS = [
  "session-start",
  "prompt-submit",
  "pre-tool-use",
  "post-tool-use",
  "stop",
  "subagent-start",
] as const
export type HookEvent = (typeof HOOK_EVENTS)[number]

/** The agents that can call `aman hook`. */
export const HOOK_AGENTS = ["claude-code", "codex", "gemini-cli", "cursor", "copilot-cli"] as const
export type HookAgent = (typeof HOOK_AGENTS)[number]
