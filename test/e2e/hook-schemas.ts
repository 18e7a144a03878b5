/** A form of values: a type, a list of allowed words, or an object with these keys only. */
type Form = "text" | "switch" | "anything" | readonly string[] | { readonly [key: string]: Form }

/**
 * The output that Codex accepts of a hook for an event, by Codex's name of it. A summary of
 * *.command.output.schema.json in openai/codex, codex-rs/hooks/schema/generated, as of 2026-09. Codex refuses
 * any key that is not listed.
 */
export function codexSchema(named: string): Form {
  const universal = {
    continue: "switch",
    stopReason: "text",
    suppressOutput: "switch",
    systemMessage: "text",
  } as const
  const blocking = { decision: ["block"], reason: "text" } as const
  const context = { hookEventName: [named], additionalContext: "text" } as const
  switch (named) {
    case "SessionStart":
    case "SubagentStart":
      return { ...universal, hookSpecificOutput: context }
    case "UserPromptSubmit":
      return { ...universal, ...blocking, hookSpecificOutput: context }
    case "PreToolUse": {
      const decision = {
        permissionDecision: ["allow", "deny", "ask"],
        permissionDecisionReason: "text",
      } as const
      return { ...universal, hookSpecificOutput: { ...context, ...decision, updatedInput: "anything" } }
    }
    case "PostToolUse":
      return { ...universal, ...blocking, hookSpecificOutput: { ...context, updatedToolOutput: "anything" } }
    case "Stop":
      return { ...universal, ...blocking }
    default:
      throw new Error(`Codex has no event ${named}`)
  }
}

export function fits(form: Form, value: unknown): boolean {
  if (form === "anything") return true
  if (form === "text") return typeof value === "string" && value.trim() !== ""
  if (form === "switch") return typeof value === "boolean"
  if (Array.isArray(form)) return form.includes(value)
  if (typeof value !== "object" || value === null) return false
  const forms = form as { readonly [key: string]: Form }
  return Object.entries(value).every(([key, inner]) => key in forms && fits(forms[key]!, inner))
}
