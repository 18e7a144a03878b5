import {
  type ConfigFlags,
  defaultValue,
  SETTING_KEYS,
  SETTINGS,
  type Setting,
  type SettingKey,
} from "../../base/index.ts"
import type { Flag, FlagValues } from "./command.ts"

/** The flag of a setting, with its default in the help. */
export function settingFlag(key: SettingKey): Flag {
  const setting: Setting = SETTINGS[key]
  const usual = defaultValue(setting)
  const help =
    usual === "" || setting.help.includes("(none:") ? setting.help : `${setting.help} (default: ${usual})`
  return { name: setting.flag!, value: VALUES[setting.form], help }
}

const VALUES: Readonly<Record<Setting["form"], string>> = {
  whole: "N",
  size: "SIZE",
  time: "TIME",
  switch: "true|false",
  choice: "WORD",
  text: "TEXT",
  address: "URL",
  folder: "DIR",
  location: "WHERE",
  list: "LIST",
}

const REPOS_KEYS = SETTING_KEYS.filter((key) => key.startsWith("repos."))

/** Flags for the settings of other repositories. */
export const REPOS_FLAGS: readonly Flag[] = REPOS_KEYS.map(settingFlag)

/** The given flags; the configuration parses and checks their values. */
export function reposFlags(flags: FlagValues): ConfigFlags {
  return Object.fromEntries(REPOS_KEYS.map((key) => [key, flags.text(flagOf(key))]))
}

export function flagOf(key: SettingKey): string {
  return (SETTINGS[key] as Setting).flag!
}

const SERVER_KEYS = SETTING_KEYS.filter((key) => key.startsWith("server."))

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
  ...SERVER_KEYS.map(settingFlag),
]

/** The given server flags; the configuration parses and checks their values. */
export function serverFlags(flags: FlagValues): ConfigFlags {
  return Object.fromEntries(SERVER_KEYS.map((key) => [key, flags.text(flagOf(key))]))
}
