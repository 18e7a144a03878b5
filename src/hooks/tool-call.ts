export type ToolKind = "file" | "search" | "shell" | "other"

/** A call of a tool, as far as it matters here. */
export type ToolCall = {
  readonly kind: ToolKind
  /** Files that it reads or writes, as the agent names them. */
  readonly paths: readonly string[]
  /** What it searches for: a pattern or words. */
  readonly pattern: string
  readonly command: string
  /** After it ran; null where one cannot tell, and before. */
  readonly failed: boolean | null
}

export type ToolUse = Pick<ToolCall, "kind" | "paths" | "pattern">
