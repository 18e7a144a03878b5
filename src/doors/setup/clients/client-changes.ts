import { existsSync } from "node:fs"
import { join } from "node:path"
import type { PlannedChange } from "../planned-change.ts"
import instructions from "../prose/instructions.md" with { type: "text" }
import skill from "../prose/skill.md" with { type: "text" }
import subagent from "../prose/subagent.md" with { type: "text" }
import type { Client, Layout, SetupPart } from "./clients.ts"
import { quoteForCommand } from "./hook-entry.ts"
import { permissionsChange } from "./permissions.ts"
import { type ClientFolders, expand } from "./places.ts"
import type { Program } from "./program.ts"

export type Scope = {
  readonly places: ClientFolders
  /** Project root with links resolved; null for the user's settings. */
  readonly project: string | null
}

/** All changes that set up the given parts of a client. */
export function clientChanges(
  client: Client,
  program: Program,
  { places, project }: Scope,
  parts: ReadonlySet<SetupPart>,
): PlannedChange[] {
  const layout = project === null ? client.user : client.project
  if (layout === null) return []
  const pathOf = (file: string) =>
    project === null ? expand(file, places) : join(project, ...file.split("/"))
  const common = { within: project, client: client.id, seed: null }
  return layoutChanges(layout, program, places.platform, pathOf)
    .filter(({ part }) => parts.has(part))
    .map((each) => ({ ...common, ...each }))
}

type ChangeInClient = Omit<PlannedChange, "within" | "client" | "seed"> & Partial<Pick<PlannedChange, "seed">>

function layoutChanges(
  { mcp, hooks, instructions, skill, agent, permissions }: Layout,
  program: Program,
  platform: NodeJS.Platform,
  pathOf: (file: string) => string,
): ChangeInClient[] {
  const changes: ChangeInClient[] = []
  if (mcp !== undefined) {
    const paths = mcp.files.map(pathOf)
    const file = paths.find((path) => existsSync(path)) ?? paths.at(-1)!
    const change = { kind: "server" as const, key: mcp.key, shape: mcp.shape ?? null, program }
    changes.push({ file, part: "mcp", change, seed: mcp.seed ?? null })
  }
  if (hooks !== undefined) {
    const change = { kind: "hook" as const, dialect: hooks.dialect, program, platform }
    changes.push({ file: pathOf(hooks.file), part: "hooks", change, seed: hooks.seed ?? null })
  }
  if (permissions !== undefined) {
    const change = permissionsChange(permissions.form, program.command, platform)
    changes.push({ file: pathOf(permissions.file), part: "permissions", change })
  }
  const command = program.command
  if (instructions !== undefined) {
    const change = { kind: "section" as const, text: instructionsText(command, platform) }
    changes.push({ file: pathOf(instructions), part: "instructions", change })
  }
  const files = [
    { file: skill, text: skillText(command, platform) },
    { file: agent, text: subagentText(command, platform) },
  ]
  for (const { file, text } of files) {
    if (file !== undefined)
      changes.push({ file: pathOf(file), part: "skill", change: { kind: "whole", text } })
  }
  return changes
}

/** Text for CLAUDE.md, AGENTS.md and similar files. */
function instructionsText(command: string, platform: NodeJS.Platform): string {
  return withCommand(instructions, command, platform)
}

/** Text of SKILL.md, as specified by agentskills.io. */
export function skillText(command: string, platform: NodeJS.Platform): string {
  return withCommand(skill, command, platform)
}

/** Text of a Claude Code sub-agent. */
export function subagentText(command: string, platform: NodeJS.Platform): string {
  return withCommand(subagent, command, platform)
}

/** Inserts the program into a text: its name, or its path if a shell would not find the program by its name. */
function withCommand(text: string, command: string, platform: NodeJS.Platform): string {
  return text.replaceAll("$AMAN", () => quoteForCommand(command, platform))
}
