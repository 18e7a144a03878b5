import { posix, win32 } from "node:path"
import { AmanError } from "../../../base/index.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** Folders and files that the table of clients names as `{name}`. */
export type ClientFolders = {
  readonly platform: NodeJS.Platform
  readonly named: Readonly<Record<PlaceName, string>>
}

export type PlaceName =
  | "home"
  | "config"
  | "apps"
  | "claude"
  | "claude.json"
  | "codex"
  | "copilot"
  | "devin"
  | "gemini"
  | "opencode"
  | "zed"

/** Folders of client settings on a system, by its environment variables. `home` is the user's home folder. */
export function clientFolders(env: Environment, platform: NodeJS.Platform, home: string): ClientFolders {
  const { join, isAbsolute } = platform === "win32" ? win32 : posix
  if (!isAbsolute(home)) {
    throw new AmanError("NOT_FOUND", "the home folder is unknown", { hint: "set HOME to an absolute path" })
  }
  const folder = (name: string, usual: string) => {
    const value = env[name]
    return value && isAbsolute(value) ? value : usual
  }
  const config = folder("XDG_CONFIG_HOME", join(home, ".config"))
  const roaming = folder("APPDATA", join(home, "AppData", "Roaming"))
  const appsOnUnix = platform === "darwin" ? join(home, "Library", "Application Support") : config
  const apps = platform === "win32" ? roaming : appsOnUnix
  const claude = folder("CLAUDE_CONFIG_DIR", "")
  return {
    platform,
    named: {
      home,
      config,
      apps,
      claude: claude || join(home, ".claude"),
      "claude.json": join(claude || home, ".claude.json"),
      codex: folder("CODEX_HOME", join(home, ".codex")),
      copilot: folder("COPILOT_HOME", join(home, ".copilot")),
      devin: join(platform === "win32" ? roaming : join(home, ".config"), "devin"),
      gemini: join(folder("GEMINI_CLI_HOME", home), ".gemini"),
      opencode: join(config, "opencode"),
      zed: zedFolder(platform, { home, roaming, config: folder("FLATPAK_XDG_CONFIG_HOME", config) }, join),
    },
  }
}

/** Expands a path of the table of clients, such as "{codex}/config.toml". */
export function expand(template: string, { platform, named }: ClientFolders): string {
  const { join } = platform === "win32" ? win32 : posix
  const [, name, rest] = /^\{([\w.]+)\}\/?(.*)$/.exec(template)!
  return join(named[name as PlaceName], ...rest!.split("/"))
}

/** Zed's settings folder, as in its crate `paths`: below XDG's folder on Linux, APPDATA on Windows, ~/.config on macOS. */
function zedFolder(
  platform: NodeJS.Platform,
  { home, roaming, config }: { readonly home: string; readonly roaming: string; readonly config: string },
  join: (...parts: string[]) => string,
): string {
  if (platform === "win32") return join(roaming, "Zed")
  return platform === "darwin" ? join(home, ".config", "zed") : join(config, "zed")
}
