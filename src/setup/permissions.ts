import { quoted, wordsOf } from "./invocation.ts"
import { isCalledAman } from "./program.ts"
import type { Wish } from "./wish.ts"

/** Tools and commands that read and change nothing of the user's, so no agent need ask before it uses them. */
export const READING_TOOLS = ["search", "read", "symbol", "recall", "status", "context"] as const
const READING_COMMANDS = ["search", "grep", "read", "symbol", "recall", "status", "context", "map"] as const

/** Entries for them, in the agent's own form. */
export function permissionsWish(
  form: "claude" | "codex" | "gemini",
  command: string,
  platform: NodeJS.Platform,
): Wish {
  switch (form) {
    case "claude": {
      const tools = READING_TOOLS.map((name) => `mcp__aman__${name}`)
      const commands = READING_COMMANDS.map((name) => `Bash(${quoted(command, platform)} ${name}:*)`)
      return { kind: "permissions", path: ["permissions", "allow"], values: [...tools, ...commands] }
    }
    case "codex":
      return { kind: "whole", text: codexRules(command) }
    case "gemini":
      return { kind: "whole", text: geminiPolicy(quoted(command, platform)) }
  }
}

/** Whether an entry of Claude Code's list is one of these, whichever aman it names. */
export function isOurPermission(value: unknown): boolean {
  const [, tool] = /^mcp__aman__(\w+)$/.exec(String(value)) ?? []
  if (tool !== undefined) return READING_TOOLS.some((name) => name === tool)
  const [, words] = /^Bash\((.+):\*\)$/.exec(String(value)) ?? []
  const [program, command, ...rest] = wordsOf({ command: words })
  const isReading = READING_COMMANDS.some((name) => name === command)
  return program !== undefined && isCalledAman(program) && isReading && rest.length === 0
}

/** Of shell commands only: Codex asks nothing before a tool that its server calls reading. */
function codexRules(command: string): string {
  return `# Written by "aman setup"; "aman setup --remove" deletes it. These commands of aman only read.
prefix_rule(
    pattern = [${JSON.stringify(command)}, ${JSON.stringify(READING_COMMANDS)}],
    decision = "allow",
    justification = "searches the project and its memory, and changes neither",
)
`
}

function geminiPolicy(command: string): string {
  const prefixes = READING_COMMANDS.map((name) => `${command} ${name}`)
  return `# Written by "aman setup"; "aman setup --remove" deletes it. What is named here only reads.
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
