import type { HookDialect } from "./hook-dialects.ts"
import type { PermissionForm } from "./permissions.ts"

/**
 * Parts that setup can write: `mcp` is the server, `skill` includes a sub-agent, `permissions` covers tools
 * that only read.
 */
export const PARTS = ["mcp", "hooks", "instructions", "skill", "permissions"] as const
export type SetupPart = (typeof PARTS)[number]

export type ServerShape = "typed" | "plain" | "opencode" | "zed"

/** Paths of settings files: they begin with `{name}`, a folder of places.ts, or are relative to the project root. */
export type Layout = {
  readonly mcp?: {
    /** Settings files in order: the first that exists is used; if none exists, the last. */
    readonly files: readonly string[]
    readonly key: string
    /** Format in JSON files; TOML files need none. */
    readonly shape?: ServerShape
    /** Initial content of a new file. */
    readonly seed?: object
  }
  readonly hooks?: {
    readonly file: string
    readonly dialect: HookDialect
    readonly seed?: object
    /** Settings with which the user can disable all hooks. */
    readonly switches?: readonly HookSwitch[]
    /**
     * File and path where the client stores which hooks the user has approved, by file and event. Absent if hooks
     * need no approval.
     */
    readonly trust?: { readonly file: string; readonly path: readonly string[] }
  }
  readonly instructions?: string
  readonly skill?: string
  readonly agent?: string
  readonly permissions?: { readonly file: string; readonly form: PermissionForm }
}

/** A setting that disables all hooks of the client when its value is `off`. */
export type HookSwitch = { readonly file: string; readonly path: readonly string[]; readonly off: boolean }

export type Client = {
  readonly id: string
  readonly name: string
  /** Files or folders that show that the client is installed, in addition to its programs. */
  readonly signs: readonly string[]
  readonly programs: readonly string[]
  /** True if the client is a desktop program, which does not see the PATH of the user's shell. */
  readonly isWindowed: boolean
  readonly user: Layout
  readonly project: Layout | null
  /** Instruction for the user after setup. */
  readonly after: string
}

const OPENCODE_SCHEMA = { $schema: "https://opencode.ai/config.json" }
const SHARED_SKILL = "skills/aman/SKILL.md"

/** All clients; docs/clients.md names the sources. */
export const CLIENTS: readonly Client[] = [
  {
    id: "claude-code",
    name: "Claude Code",
    signs: ["{claude}", "{claude.json}"],
    programs: ["claude"],
    isWindowed: false,
    user: {
      mcp: { files: ["{claude.json}"], key: "mcpServers", shape: "typed" },
      hooks: {
        file: "{claude}/settings.json",
        dialect: "claude-code",
        switches: [{ file: "{claude}/settings.json", path: ["disableAllHooks"], off: true }],
      },
      instructions: "{claude}/CLAUDE.md",
      skill: `{claude}/${SHARED_SKILL}`,
      agent: "{claude}/agents/aman.md",
      permissions: { file: "{claude}/settings.json", form: "claude" },
    },
    project: {
      mcp: { files: [".mcp.json"], key: "mcpServers", shape: "typed" },
      hooks: { file: ".claude/settings.json", dialect: "claude-code" },
      instructions: "CLAUDE.md",
      skill: `.claude/${SHARED_SKILL}`,
      agent: ".claude/agents/aman.md",
      permissions: { file: ".claude/settings.json", form: "claude" },
    },
    after: "start a new session; /mcp and /hooks show the setup",
  },
  {
    id: "claude-desktop",
    name: "Claude Desktop",
    signs: ["{apps}/Claude"],
    programs: [],
    isWindowed: true,
    user: { mcp: { files: ["{apps}/Claude/claude_desktop_config.json"], key: "mcpServers", shape: "plain" } },
    project: null,
    after: "restart it",
  },
  {
    id: "cursor",
    name: "Cursor",
    signs: ["{home}/.cursor"],
    programs: ["cursor", "cursor-agent"],
    isWindowed: true,
    user: {
      mcp: { files: ["{home}/.cursor/mcp.json"], key: "mcpServers", shape: "plain" },
      hooks: { file: "{home}/.cursor/hooks.json", dialect: "cursor", seed: { version: 1 } },
      skill: `{home}/.agents/${SHARED_SKILL}`,
    },
    project: {
      mcp: { files: [".cursor/mcp.json"], key: "mcpServers", shape: "plain" },
      hooks: { file: ".cursor/hooks.json", dialect: "cursor", seed: { version: 1 } },
      instructions: "AGENTS.md",
      skill: `.agents/${SHARED_SKILL}`,
    },
    after: "enable the server in its settings, under MCP",
  },
  {
    id: "vscode",
    name: "VS Code",
    signs: ["{apps}/Code/User", "{home}/.vscode"],
    programs: ["code"],
    isWindowed: true,
    user: { mcp: { files: ["{apps}/Code/User/mcp.json"], key: "servers", shape: "typed" } },
    project: {
      mcp: { files: [".vscode/mcp.json"], key: "servers", shape: "typed" },
      instructions: "AGENTS.md",
    },
    after: "start it with «MCP: List Servers» and confirm that you trust it",
  },
  {
    id: "codex",
    name: "Codex",
    signs: ["{codex}"],
    programs: ["codex"],
    isWindowed: false,
    user: {
      mcp: { files: ["{codex}/config.toml"], key: "mcp_servers" },
      hooks: {
        file: "{codex}/hooks.json",
        dialect: "codex",
        switches: ["hooks", "codex_hooks"].map((name) => {
          return { file: "{codex}/config.toml", path: ["features", name], off: false }
        }),
        trust: { file: "{codex}/config.toml", path: ["hooks", "state"] },
      },
      instructions: "{codex}/AGENTS.md",
      skill: `{home}/.agents/${SHARED_SKILL}`,
      permissions: { file: "{codex}/rules/aman.rules", form: "codex" },
    },
    project: {
      mcp: { files: [".codex/config.toml"], key: "mcp_servers" },
      hooks: { file: ".codex/hooks.json", dialect: "codex" },
      instructions: "AGENTS.md",
      skill: `.agents/${SHARED_SKILL}`,
      permissions: { file: ".codex/rules/aman.rules", form: "codex" },
    },
    after: "start a new session; /hooks asks you to review the new hooks before they run",
  },
  {
    id: "gemini-cli",
    name: "Gemini CLI",
    signs: ["{gemini}"],
    programs: ["gemini"],
    isWindowed: false,
    user: {
      mcp: { files: ["{gemini}/settings.json"], key: "mcpServers", shape: "plain" },
      hooks: {
        file: "{gemini}/settings.json",
        dialect: "gemini-cli",
        switches: [{ file: "{gemini}/settings.json", path: ["hooksConfig", "enabled"], off: false }],
      },
      instructions: "{gemini}/GEMINI.md",
      skill: `{home}/.agents/${SHARED_SKILL}`,
      permissions: { file: "{gemini}/policies/aman.toml", form: "gemini" },
    },
    project: {
      mcp: { files: [".gemini/settings.json"], key: "mcpServers", shape: "plain" },
      hooks: { file: ".gemini/settings.json", dialect: "gemini-cli" },
      instructions: "GEMINI.md",
      skill: `.agents/${SHARED_SKILL}`,
      permissions: { file: ".gemini/policies/aman.toml", form: "gemini" },
    },
    after: "start a new session; /mcp shows the setup",
  },
  {
    id: "antigravity-cli",
    name: "Antigravity CLI",
    signs: ["{home}/.gemini/antigravity-cli"],
    programs: ["agy"],
    // Antigravity's editor reads the same list of servers.
    isWindowed: true,
    user: {
      mcp: { files: ["{home}/.gemini/config/mcp_config.json"], key: "mcpServers", shape: "plain" },
      instructions: "{home}/.gemini/GEMINI.md",
      skill: `{home}/.gemini/antigravity-cli/${SHARED_SKILL}`,
      permissions: { file: "{home}/.gemini/antigravity-cli/settings.json", form: "antigravity" },
    },
    project: {
      mcp: { files: [".agents/mcp_config.json"], key: "mcpServers", shape: "plain" },
      instructions: "AGENTS.md",
      skill: `.agents/${SHARED_SKILL}`,
    },
    after: "start a new session; /mcp shows the setup",
  },
  {
    id: "copilot-cli",
    name: "GitHub Copilot CLI",
    signs: ["{copilot}"],
    programs: ["copilot"],
    // VS Code's sessions of Copilot read the same list of servers.
    isWindowed: true,
    user: {
      mcp: { files: ["{copilot}/mcp-config.json"], key: "mcpServers", shape: "typed" },
      hooks: {
        file: "{copilot}/hooks/aman.json",
        dialect: "copilot-cli",
        seed: { version: 1 },
        switches: ["hooks/aman.json", "settings.json"].map((file) => {
          return { file: `{copilot}/${file}`, path: ["disableAllHooks"], off: true }
        }),
      },
      instructions: "{copilot}/copilot-instructions.md",
      // With COPILOT_HOME set, it does not read ~/.agents/skills.
      skill: `{copilot}/${SHARED_SKILL}`,
    },
    project: {
      mcp: { files: [".github/mcp.json"], key: "mcpServers", shape: "typed" },
      hooks: { file: ".github/hooks/aman.json", dialect: "copilot-cli", seed: { version: 1 } },
      instructions: "AGENTS.md",
      skill: `.agents/${SHARED_SKILL}`,
    },
    after: "start a new session; /mcp show and /env show the setup",
  },
  {
    id: "opencode",
    name: "opencode",
    signs: ["{opencode}"],
    programs: ["opencode"],
    isWindowed: false,
    user: {
      mcp: {
        files: ["{opencode}/opencode.jsonc", "{opencode}/opencode.json"],
        key: "mcp",
        shape: "opencode",
        seed: OPENCODE_SCHEMA,
      },
      instructions: "{opencode}/AGENTS.md",
      skill: `{home}/.agents/${SHARED_SKILL}`,
    },
    project: {
      mcp: {
        files: [".opencode/opencode.jsonc", ".opencode/opencode.json", "opencode.jsonc", "opencode.json"],
        key: "mcp",
        shape: "opencode",
        seed: OPENCODE_SCHEMA,
      },
      instructions: "AGENTS.md",
      skill: `.agents/${SHARED_SKILL}`,
    },
    after: "restart it",
  },
  {
    id: "zed",
    name: "Zed",
    signs: ["{zed}"],
    programs: ["zed", "zeditor"],
    isWindowed: true,
    user: { mcp: { files: ["{zed}/settings.json"], key: "context_servers", shape: "zed" } },
    project: {
      mcp: { files: [".zed/settings.json"], key: "context_servers", shape: "zed" },
      instructions: "AGENTS.md",
    },
    after: "nothing; it reloads its settings by itself",
  },
  {
    id: "windsurf",
    name: "Windsurf",
    signs: ["{home}/.codeium/windsurf"],
    programs: ["windsurf"],
    isWindowed: true,
    user: {
      mcp: { files: ["{home}/.codeium/windsurf/mcp_config.json"], key: "mcpServers", shape: "plain" },
    },
    project: null,
    after: "press refresh in its MCP settings",
  },
  {
    id: "devin",
    name: "Devin CLI",
    signs: ["{devin}"],
    programs: ["devin"],
    isWindowed: false,
    user: {
      mcp: { files: ["{devin}/config.json"], key: "mcpServers", shape: "plain" },
      instructions: "{devin}/AGENTS.md",
      permissions: { file: "{devin}/config.json", form: "devin" },
    },
    project: {
      mcp: { files: [".devin/config.json"], key: "mcpServers", shape: "plain" },
      instructions: "AGENTS.md",
      permissions: { file: ".devin/config.json", form: "devin" },
    },
    after: "start a new session; devin mcp list shows the setup",
  },
]
