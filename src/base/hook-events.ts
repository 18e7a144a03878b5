/** The moments at which agents call `aman hook`, as it names them. */
export const HOOK_EVENTS = [
  "session-start",
  "prompt-submit",
  "pre-tool-use",
  "post-tool-use",
  "stop",
  "subagent-start",
] as const
export type HookEvent = (typeof HOOK_EVENTS)[number]
