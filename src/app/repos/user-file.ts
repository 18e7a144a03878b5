import { AmanError } from "../../base/errors.ts"
import { settingsFiles } from "../../config/resolve.ts"
import type { SettingsFile } from "../../config/settings-file.ts"

/** The user's own settings file, there or not. */
export function userFile(): SettingsFile {
  const file = settingsFiles(null, process.env)[0]
  if (file) return file
  throw new AmanError("IO", "no folder for the user's settings is known", {
    hint: "set XDG_CONFIG_HOME or HOME, or name repositories in AMAN_REPOS_URLS",
  })
}

/** The repositories that it names, as they are written there. */
export function userUrls(file: SettingsFile): readonly string[] {
  const { inspectSettingsFile } =
    require("../../config/settings-file.ts") as typeof import("../../config/settings-file.ts")
  const { entries, problems } = inspectSettingsFile(file)
  if (problems.length > 0) throw problems[0]!
  return entries.flatMap(({ key, value }) => (key === "repos.urls" ? (value as string[]) : []))
}
