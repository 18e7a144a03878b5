import type { Setting } from "../config/setting-form.ts"
import { SETTINGS, type SettingKey } from "../config/settings.ts"
import { usualValue } from "../config/usual-value.ts"
import type { Flag } from "./command.ts"

/** The flag that stands for a setting, with what it is where nobody set it. */
export function settingFlag(key: SettingKey): Flag {
  const setting: Setting = SETTINGS[key]
  const usual = usualValue(setting)
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
