import { lstatSync } from "node:fs"
import { join } from "node:path"
import { userConfigDir } from "../paths.ts"
import type { Setting } from "./setting-form.ts"
import { SETTING_KEYS, SETTINGS, type SettingKey, type SettingValues } from "./settings.ts"
import type { FileEntry, SettingsFile } from "./settings-file.ts"

export type Layer = "built-in" | "user file" | "project file" | "environment" | "flag"

/** Where a value comes from: its layer, and the place in the layer, such as "AMAN_WORKERS" or a file and line. */
export type Origin = { readonly layer: Layer; readonly where: string | null }

export type Resolved = {
  readonly values: SettingValues
  /** Where each value comes from. A list has one origin for each layer that added to it. */
  readonly origins: { readonly [Key in SettingKey]: readonly Origin[] }
  /** Values in the project's settings file that were replaced, because only the user may set values beyond a limit. */
  readonly clamped: readonly Clamped[]
  /** For each setting in the project's settings file that only the user may set, and that is not used: a message. */
  readonly ignored: readonly string[]
}

export type Clamped = {
  readonly key: SettingKey
  readonly written: number
  /** The value that is used instead. */
  readonly used: number
  readonly where: string | null
}

/** Values as users write them on the command line or in a call. A size may be "512MB". */
export type ConfigFlags = { readonly [Key in SettingKey]?: string | number | boolean | undefined }
export type Environment = Readonly<Record<string, string | undefined>>

type LayerEntry = { readonly key: SettingKey; readonly value: unknown; readonly origin: Origin }

/** Name of the settings file in a project. */
export const PROJECT_FILE = ".aman.yaml"
const BUILT_IN: Origin = { layer: "built-in", where: null }

/**
 * Resolves all settings. Later layers override earlier ones: built-in values, user file, project file, AMAN_*
 * environment variables, flags. Throws USAGE for an invalid value.
 */
export function resolveSettings(root: string | null, flags: ConfigFlags, env: Environment): Resolved {
  const values: Record<string, unknown> = {}
  const origins: Record<string, readonly Origin[]> = {}
  for (const key of SETTING_KEYS) {
    values[key] = SETTINGS[key].value()
    origins[key] = [BUILT_IN]
  }
  const clamped: Clamped[] = []
  const files = fileEntries(root, env)
  const written = [...files.entries, ...environmentEntries(env), ...flagEntries(flags)]
  for (const { key, value: asWritten, origin } of written) {
    const value = origin.layer === "project file" ? clamp(key, asWritten, values[key]) : asWritten
    if (value !== asWritten)
      clamped.push({ key, written: asWritten as number, used: value as number, where: origin.where })
    const isFirst = origins[key]![0] === BUILT_IN
    const appends = SETTINGS[key].form === "list" && !isFirst
    values[key] = appends ? [...(values[key] as string[]), ...(value as string[])] : value
    origins[key] = appends ? [...origins[key]!, origin] : [origin]
  }
  const { ignored } = files
  return { values: values as SettingValues, origins: origins as Resolved["origins"], clamped, ignored }
}

/**
 * Limits a value in the project's settings file, because this file comes with the project, and its author may be
 * anyone. `current` is the value of the layers below: the user's or the built-in one.
 */
function clamp(key: SettingKey, value: unknown, current: unknown): unknown {
  const { projectMayOnlyLower }: Setting = SETTINGS[key]
  const isLimited = projectMayOnlyLower && typeof value === "number" && typeof current === "number"
  return isLimited ? Math.min(value, current) : value
}

/** The settings files of the user and of the project, whether or not they exist. A later file overrides an earlier one. */
export function settingsFiles(root: string | null, env: Environment): SettingsFile[] {
  const userDir = userConfigDir(env)
  return [
    ...(userDir === null ? [] : [{ path: join(userDir, "config.yaml"), by: "user" as const }]),
    ...(root === null ? [] : [{ path: join(root, PROJECT_FILE), by: "project" as const }]),
  ]
}

function fileEntries(
  root: string | null,
  env: Environment,
): { readonly entries: readonly LayerEntry[]; readonly ignored: readonly string[] } {
  const present = settingsFiles(root, env).filter(({ path }) => isThere(path))
  if (present.length === 0) return { entries: [], ignored: [] }
  // The module is loaded only if there is a settings file, because YAML and the checks take some milliseconds of a
  // search.
  const { inspectSettingsFile } = require("./settings-file.ts") as typeof import("./settings-file.ts")
  const inspected = present.map((file) => ({ ...inspectSettingsFile(file), by: file.by }))
  for (const { problems } of inspected) if (problems.length > 0) throw problems[0]!
  const entries = inspected.flatMap(({ entries: ofFile, by }) =>
    ofFile.map(({ key, value, where }: FileEntry): LayerEntry => {
      return { key, value, origin: { layer: `${by} file`, where } }
    }),
  )
  return { entries, ignored: inspected.flatMap(({ ignored }) => ignored.map(({ message }) => message)) }
}

function environmentEntries(env: Environment): LayerEntry[] {
  // An empty variable counts as unset, because many shells and service files cannot unset a variable in another way.
  return SETTING_KEYS.flatMap((key) => {
    const { env: name } = SETTINGS[key]
    return env[name] ? [checked(key, env[name], { layer: "environment", where: name })] : []
  })
}

function flagEntries(flags: ConfigFlags): LayerEntry[] {
  return SETTING_KEYS.flatMap((key) => {
    const { flag }: Setting = SETTINGS[key]
    const value = flags[key]
    const where = flag === undefined ? key : `--${flag}`
    return value === undefined ? [] : [checked(key, value, { layer: "flag", where })]
  })
}

function checked(key: SettingKey, value: unknown, origin: Origin): LayerEntry {
  // Settings with a fixed list of values, such as log.level, are checked here, so that schema.ts (with zod) is not
  // loaded.
  const setting: Setting = SETTINGS[key]
  if (setting.form === "choice" && setting.choices.some((choice) => choice === value))
    return { key, value, origin }
  const { checkSetting } = require("./schema.ts") as typeof import("./schema.ts")
  return { key, value: checkSetting(key, { value, where: origin.where ?? key }), origin }
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    // Something else is in place of the folder, or it cannot be accessed. Reading the file then reports the cause.
    return true
  }
}
