import { describe, expect, test } from "bun:test"
import { CLIENTS, type Layout } from "./clients.ts"
import { clientFolders, expand } from "./places.ts"

/** Every path of the user's settings, by client; `~` is the home folder. */
function pathsOn(platform: NodeJS.Platform, home: string, env: Record<string, string> = {}) {
  const places = clientFolders(env, platform, home)
  const short = (template: string) => expand(template, places).replace(home, "~").replaceAll("\\", "/")
  return Object.fromEntries(CLIENTS.map(({ id, user }) => [id, filesOf(user).map(short)]))
}

function filesOf({ mcp, hooks, instructions, skill, agent, permissions }: Layout): string[] {
  const named = [hooks?.file, instructions, skill, agent, permissions?.file]
  return [...new Set([...(mcp?.files ?? []), ...named.filter((file) => file !== undefined)])]
}

const COMMON = {
  "claude-code": [
    "~/.claude.json",
    "~/.claude/settings.json",
    "~/.claude/CLAUDE.md",
    "~/.claude/skills/aman/SKILL.md",
    "~/.claude/agents/aman.md",
  ],
  cursor: ["~/.cursor/mcp.json", "~/.cursor/hooks.json", "~/.agents/skills/aman/SKILL.md"],
  codex: [
    "~/.codex/config.toml",
    "~/.codex/hooks.json",
    "~/.codex/AGENTS.md",
    "~/.agents/skills/aman/SKILL.md",
    "~/.codex/rules/aman.rules",
  ],
  "gemini-cli": [
    "~/.gemini/settings.json",
    "~/.gemini/GEMINI.md",
    "~/.agents/skills/aman/SKILL.md",
    "~/.gemini/policies/aman.toml",
  ],
  "antigravity-cli": [
    "~/.gemini/config/mcp_config.json",
    "~/.gemini/GEMINI.md",
    "~/.gemini/antigravity-cli/skills/aman/SKILL.md",
    "~/.gemini/antigravity-cli/settings.json",
  ],
  "copilot-cli": [
    "~/.copilot/mcp-config.json",
    "~/.copilot/hooks/aman.json",
    "~/.copilot/copilot-instructions.md",
    "~/.copilot/skills/aman/SKILL.md",
  ],
  opencode: [
    "~/.config/opencode/opencode.jsonc",
    "~/.config/opencode/opencode.json",
    "~/.config/opencode/AGENTS.md",
    "~/.agents/skills/aman/SKILL.md",
  ],
  windsurf: ["~/.codeium/windsurf/mcp_config.json"],
  devin: ["~/.config/devin/config.json", "~/.config/devin/AGENTS.md"],
}

describe("where clients keep their settings", () => {
  test("Linux", () => {
    expect(pathsOn("linux", "/home/ines")).toEqual({
      ...COMMON,
      "claude-desktop": ["~/.config/Claude/claude_desktop_config.json"],
      vscode: ["~/.config/Code/User/mcp.json"],
      zed: ["~/.config/zed/settings.json"],
    })
  })

  test("macOS", () => {
    expect(pathsOn("darwin", "/Users/ines")).toEqual({
      ...COMMON,
      "claude-desktop": ["~/Library/Application Support/Claude/claude_desktop_config.json"],
      vscode: ["~/Library/Application Support/Code/User/mcp.json"],
      zed: ["~/.config/zed/settings.json"],
    })
  })

  test("Windows", () => {
    expect(pathsOn("win32", "C:\\Users\\ines", { APPDATA: "C:\\Users\\ines\\AppData\\Roaming" })).toEqual({
      ...COMMON,
      "claude-desktop": ["~/AppData/Roaming/Claude/claude_desktop_config.json"],
      vscode: ["~/AppData/Roaming/Code/User/mcp.json"],
      zed: ["~/AppData/Roaming/Zed/settings.json"],
      devin: ["~/AppData/Roaming/devin/config.json", "~/AppData/Roaming/devin/AGENTS.md"],
    })
    expect(expand("{codex}/config.toml", clientFolders({}, "win32", "C:\\Users\\ines"))).toBe(
      "C:\\Users\\ines\\.codex\\config.toml",
    )
  })

  test("follows variables that hold absolute paths", () => {
    const env = {
      XDG_CONFIG_HOME: "/etc/ines",
      CLAUDE_CONFIG_DIR: "/c",
      CODEX_HOME: "relative",
      GEMINI_CLI_HOME: "/g",
      FLATPAK_XDG_CONFIG_HOME: "/flat",
    }
    const moved = pathsOn("linux", "/home/ines", env)
    expect(moved["claude-code"]?.slice(0, 2)).toEqual(["/c/.claude.json", "/c/settings.json"])
    expect(moved["vscode"]).toEqual(["/etc/ines/Code/User/mcp.json"])
    expect(moved["opencode"]?.[0]).toBe("/etc/ines/opencode/opencode.jsonc")
    expect(moved["codex"]?.[0]).toBe("~/.codex/config.toml")
    expect(moved["gemini-cli"]?.[0]).toBe("/g/.gemini/settings.json")
    expect(moved["zed"]).toEqual(["/flat/zed/settings.json"])
    expect(pathsOn("darwin", "/Users/ines", env)["zed"]).toEqual(["~/.config/zed/settings.json"])
  })

  test("knows no paths without a home folder", () => {
    expect(() => clientFolders({}, "linux", "")).toThrow("the home folder is unknown")
  })
})
