import type { ConfigFlags } from "../config/resolve.ts"
import type { Setting } from "../config/setting-form.ts"
import { SETTING_KEYS, SETTINGS, type SettingKey } from "../config/settings.ts"
import type { Flag, FlagValues } from "./command.ts"
import { settingFlag } from "./setting-flag.ts"

const KEYS = SETTING_KEYS.filter((key) => key.startsWith("repos."))

/** A flag for each setting of other repositories. */
export const REPOS_FLAGS: readonly Flag[] = KEYS.map(settingFlag)

/** What of these was typed: the configuration reads and checks the values. */
export function reposFlags(flags: FlagValues): ConfigFlags {
  return Object.fromEntries(KEYS.map((key) => [key, flags.text(flagOf(key))]))
}

function flagOf(key: SettingKey): string {
  return (SETTINGS[key] as Setting).flag!
}
