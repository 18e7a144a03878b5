import { quoted } from "./invocation.ts"
import instructions from "./prose/instructions.md" with { type: "text" }
import skill from "./prose/skill.md" with { type: "text" }
import subagent from "./prose/subagent.md" with { type: "text" }

/** What stands in CLAUDE.md, AGENTS.md and their like. */
export function instructionsText(command: string, platform: NodeJS.Platform): string {
  return withCommand(instructions, command, platform)
}

/** SKILL.md, as agentskills.io has it. */
export function skillText(command: string, platform: NodeJS.Platform): string {
  return withCommand(skill, command, platform)
}

/** A sub-agent of Claude Code. */
export function subagentText(command: string, platform: NodeJS.Platform): string {
  return withCommand(subagent, command, platform)
}

/** The texts name the program "aman"; where a shell would not find that, they give its path. */
function withCommand(text: string, command: string, platform: NodeJS.Platform): string {
  return text.replaceAll("$AMAN", () => quoted(command, platform))
}
