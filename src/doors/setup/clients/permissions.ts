import type { Change } from "../planned-change.ts"
import { commandWords, quoteForCommand } from "./hook-entry.ts"
import { isCalledAman } from "./program.ts"

/** Tools and commands that only read, so that agents may use them without asking. */
export const READING_TOOLS = ["search", "read", "symbol", "recall", "status", "context"] as const
const READING_COMMANDS = ["search", "grep", "read", "symbol", "recall", "status", "context", "map"] as const

export type PermissionForm = "antigravity" | "claude" | "codex" | "devin" | "gemini"

/** Permission entries in the agent's format. */
export function permissionsChange(form: PermissionForm, command: string, platform: NodeJS.Platform): Change {
  switch (form) {
    case "antigravity": {
      const tools = READING_TOOLS.map((name) => `mcp(aman/${name})`)
      const commands = READING_COMMANDS.map(
        (name) => `command(${quoteForCommand(command, platform)} ${name})`,
      )
      return { kind: "permissions", path: ["permissions", "allow"], values: [...tools, ...commands] }
    }
    case "claude": {
      const tools = READING_TOOLS.map((name) => `mcp__aman__${name}`)
      const commands = READING_COMMANDS.map((name) => `Bash(${quoteForCommand(command, platform)} ${name}:*)`)
      return { kind: "permissions", path: ["permissions", "allow"], values: [...tools, ...commands] }
    }
    case "devin": {
      const tools = READING_TOOLS.map((name) => `mcp__aman__${name}`)
      const commands = READING_COMMANDS.map((name) => `Exec(${quoteForCommand(command, platform)} ${name})`)
      return { kind: "permissions", path: ["permissions", "allow"], values: [...tools, ...commands] }
    }
    case "codex":
      return { kind: "whole", text: codexRules(command) }
    case "gemini":
      return { kind: "whole", text: geminiPolicy(quoteForCommand(command, platform)) }
  }
}

/** True if an entry of the list of Claude Code, Antigravity or Devin is ours, whichever aman it names. */
export function isOurPermission(value: unknown): boolean {
  const { tool } = /^(?:mcp__aman__|mcp\(aman\/)(?<tool>\w+)\)?$/.exec(String(value))?.groups ?? {}
  if (tool !== undefined) return READING_TOOLS.some((name) => name === tool)
  const [, words] = /^(?:Bash\((.+):\*|(?:command|Exec)\((.+))\)$/.exec(String(value))?.filter(Boolean) ?? []
  const [program, command, ...rest] = commandWords({ command: words })
  const isReading = READING_COMMANDS.some((name) => name === command)
  return program !== undefined && isCalledAman(program) && isReading && rest.length === 0
}

/**
 * Rules for shell commands only, because Codex does not ask before a tool marked as read-only by its server.
 */
function codexRules(command: string): string {
  return `# Written by "aman setup"; "aman setup --remove" deletes it. These commands of aman are read-only.
prefix_rule(
    pattern = [${JSON.stringify(command)}, ${JSON.stringify(READING_COMMANDS)}],
    decision = "allow",
    justification = "only searches the project and its memory",
)
`
}

function geminiPolicy(command: string): string {
  const prefixes = READING_COMMANDS.map((name) => `${command} ${name}`)
  return `# Written by "aman setup"; "aman setup --remove" deletes it. The tools listed here are read-only.
[[rule]]
mcpName = "aman"
toolName = ${JSON.stringify(READING_TOOLS)}
decision = "allow"
priority = 100

[[rule]]
toolName = "run_shell_command"
commandPrefix = ${JSON.stringify(prefixes)}
decision = "allow"
priority = 100
`
}
