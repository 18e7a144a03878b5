import type { ConfigFlags } from "../../config/resolve.ts"
import type { Setting } from "../../config/setting-form.ts"
import { SETTING_KEYS, SETTINGS, type SettingKey } from "../../config/settings.ts"
import type { Flag, FlagValues } from "../command.ts"
import { settingFlag } from "./setting-flag.ts"

// Switches are flags without a value and are declared by hand below.
const KEYS = SETTING_KEYS.filter(
  (key) => key.startsWith("server.") && (SETTINGS[key] as Setting).flag !== undefined,
)

/** Flags for a server over HTTP. */
export const SERVER_FLAGS: readonly Flag[] = [
  { name: "http", help: "Serve several clients over HTTP (path /mcp) rather than one on stdin and stdout" },
  { name: "sse", help: "The same, with the older SSE endpoints (/sse, /messages) as well" },
  {
    name: "token",
    value: "TOKEN",
    multiple: true,
    help: "Who sends it may ask; better in AMAN_SERVER_TOKEN or a file, since other users see a command's words (default: a new one, printed once)",
  },
  { name: "without-token", help: "Let every program of this machine ask; only where just this machine can" },
  ...KEYS.map(settingFlag),
]

/** The given server flags; the configuration parses and checks their values. */
export function serverFlags(flags: FlagValues): ConfigFlags {
  const typed = Object.fromEntries(KEYS.map((key) => [key, flags.text(flagOf(key))]))
  return flags.has("sse") ? { ...typed, "server.sse": true } : typed
}

function flagOf(key: SettingKey): string {
  return (SETTINGS[key] as Setting).flag!
}
