import type { ServerShape } from "./clients.ts"
import { isCalledAman } from "./program.ts"

/** Server entry in a client's format. */
export function serverEntry(shape: ServerShape, command: string): object {
  const args = ["serve"]
  switch (shape) {
    case "typed":
      return { type: "stdio", command, args }
    case "plain":
      return { command, args }
    case "opencode":
      return { type: "local", command: [command, ...args], enabled: true }
    case "zed":
      return { source: "custom", command, args, env: {} }
  }
}

export type Launch = {
  readonly command: string
  /** Path of the command in the entry. */
  readonly at: readonly (string | number)[]
  /** True if the entry starts aman, in any version or place. False for another server that has the same name. */
  readonly isOurs: boolean
}

/** The command that an entry starts, in any client's format; null if unknown. */
export function launchOf(entry: unknown): Launch | null {
  if (typeof entry !== "object" || entry === null) return null
  const { command, args } = entry as { readonly command?: unknown; readonly args?: unknown }
  if (typeof command === "string") return launch([command, ...stringList(args)], ["command"])
  if (Array.isArray(command)) return launch(stringList(command), ["command", 0])
  // Zed's format until 2025.
  const { path, args: inner } = (command ?? {}) as { readonly path?: unknown; readonly args?: unknown }
  return typeof path === "string" ? launch([path, ...stringList(inner)], ["command", "path"]) : null
}

function launch(words: readonly string[], at: Launch["at"]): Launch | null {
  const [command] = words
  if (command === undefined) return null
  return { command, at, isOurs: words.some(isCalledAman) && words.includes("serve") }
}

function stringList(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : []
}
