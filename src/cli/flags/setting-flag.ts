import type { ConfigFlags } from "../../config/resolve.ts"
import { defaultValue, type Setting } from "../../config/setting-form.ts"
import { SETTING_KEYS, SETTINGS, type SettingKey } from "../../config/settings.ts"
import type { Flag, FlagValues } from "../command.ts"

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
  share: "0-1",
  switch: "true|false",
  choice: "WORD",
  text: "TEXT",
  address: "URL",
  folder: "DIR",
  location: "WHERE",
  list: "LIST",
}

const KEYS = SETTING_KEYS.filter((key) => key.startsWith("repos."))

/** Flags for the settings of other repositories. */
export const REPOS_FLAGS: readonly Flag[] = KEYS.map(settingFlag)

/** The given flags; the configuration parses and checks their values. */
export function reposFlags(flags: FlagValues): ConfigFlags {
  return Object.fromEntries(KEYS.map((key) => [key, flags.text(flagOf(key))]))
}

export function flagOf(key: SettingKey): string {
  return (SETTINGS[key] as Setting).flag!
}
