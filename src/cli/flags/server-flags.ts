import type { ConfigFlags } from "../../config/resolve.ts"
import type { Setting } from "../../config/setting-form.ts"
import { SETTING_KEYS, SETTINGS } from "../../config/settings.ts"
import type { Flag, FlagValues } from "../command.ts"
import { flagOf, settingFlag } from "./setting-flag.ts"

// Switches are flags without a value and are declared by hand below.
const KEYS = SETTING_KEYS.filter(
  (key) => key.startsWith("server.") && (SETTINGS[key] as Setting).flag !== undefined,
)

/** Flags for a server over HTTP. */
export const SERVER_FLAGS: readonly Flag[] = [
  { name: "http", help: "Serve several clients over HTTP (path /mcp) instead of one on stdin and stdout" },
  { name: "sse", help: "Like --http, plus the older SSE endpoints (/sse, /messages)" },
  {
    name: "token",
    value: "TOKEN",
    multiple: true,
    help: "Token that clients must send; safer in AMAN_SERVER_TOKEN or a file, because other users can see command lines (default: a new one, printed once)",
  },
  { name: "without-token", help: "Accept every program on this machine; only for local addresses" },
  ...KEYS.map(settingFlag),
]

/** The given server flags; the configuration parses and checks their values. */
export function serverFlags(flags: FlagValues): ConfigFlags {
  const typed = Object.fromEntries(KEYS.map((key) => [key, flags.text(flagOf(key))]))
  return flags.has("sse") ? { ...typed, "server.sse": true } : typed
}
