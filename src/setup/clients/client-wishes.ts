import { existsSync } from "node:fs"
import { join } from "node:path"
import instructions from "../prose/instructions.md" with { type: "text" }
import skill from "../prose/skill.md" with { type: "text" }
import subagent from "../prose/subagent.md" with { type: "text" }
import type { Placed } from "../wish.ts"
import type { Client, Layout, Part } from "./clients.ts"
import { quoted } from "./invocation.ts"
import { permissionsWish } from "./permissions.ts"
import { expand, type Places } from "./places.ts"
import type { Program } from "./program.ts"

export type Scope = {
  readonly places: Places
  /** Project root with links resolved; null: the user's settings. */
  readonly project: string | null
}

/** All changes for a client, for the given parts. */
export function clientWishes(
  client: Client,
  program: Program,
  { places, project }: Scope,
  parts: ReadonlySet<Part>,
): Placed[] {
  const layout = project === null ? client.user : client.project
  if (layout === null) return []
  const pathOf = (file: string) =>
    project === null ? expand(file, places) : join(project, ...file.split("/"))
  const common = { within: project, client: client.id, seed: null }
  return wishesOf(layout, program, places.platform, pathOf)
    .filter(({ part }) => parts.has(part))
    .map((each) => ({ ...common, ...each }))
}

type Wanted = Omit<Placed, "within" | "client" | "seed"> & Partial<Pick<Placed, "seed">>

function wishesOf(
  { mcp, hooks, instructions, skill, agent, permissions }: Layout,
  program: Program,
  platform: NodeJS.Platform,
  pathOf: (file: string) => string,
): Wanted[] {
  const wanted: Wanted[] = []
  if (mcp !== undefined) {
    const paths = mcp.files.map(pathOf)
    const file = paths.find((path) => existsSync(path)) ?? paths.at(-1)!
    const wish = { kind: "server" as const, key: mcp.key, shape: mcp.shape ?? null, program }
    wanted.push({ file, part: "mcp", wish, seed: mcp.seed ?? null })
  }
  if (hooks !== undefined) {
    const wish = { kind: "hook" as const, dialect: hooks.dialect, program, platform }
    wanted.push({ file: pathOf(hooks.file), part: "hooks", wish, seed: hooks.seed ?? null })
  }
  if (permissions !== undefined) {
    const wish = permissionsWish(permissions.form, program.command, platform)
    wanted.push({ file: pathOf(permissions.file), part: "permissions", wish })
  }
  const command = program.command
  if (instructions !== undefined) {
    const wish = { kind: "section" as const, text: instructionsText(command, platform) }
    wanted.push({ file: pathOf(instructions), part: "instructions", wish })
  }
  const files = [
    { file: skill, text: skillText(command, platform) },
    { file: agent, text: subagentText(command, platform) },
  ]
  for (const { file, text } of files) {
    if (file !== undefined) wanted.push({ file: pathOf(file), part: "skill", wish: { kind: "whole", text } })
  }
  return wanted
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

/** Inserts the program: its name, or its path if a shell would not find the name. */
function withCommand(text: string, command: string, platform: NodeJS.Platform): string {
  return text.replaceAll("$AMAN", () => quoted(command, platform))
}
