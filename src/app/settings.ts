import { existsSync } from "node:fs"
import { isAbsolute, resolve } from "node:path"
import { AmanError } from "../base/errors.ts"
import { nearest } from "../base/nearest.ts"
import { loadConfig } from "../config/load.ts"
import {
  type ConfigFlags,
  type Environment,
  type Origin,
  resolveSettings,
  settingsFiles,
} from "../config/resolve.ts"
import { SETTING_KEYS, SETTINGS } from "../config/settings.ts"
import type { SettingsFile } from "../config/settings-file.ts"
import { findRoot, type RootChoice } from "./root.ts"

export type ShownSetting = {
  readonly key: string
  readonly value: unknown
  /** Where it comes from; a list may come from several places. */
  readonly origins: readonly Origin[]
  readonly env: string
  readonly help: string
}
export type SettingsPath = {
  readonly by: "user" | "project"
  readonly path: string
  readonly exists: boolean
}
export type Problem = { readonly message: string; readonly hint: string | null }

/** Variables that no key stands for. */
const OTHER_VARIABLES: ReadonlySet<string> = new Set(["AMAN_OPENAI_API_KEY", "AMAN_BINARY", "AMAN_DATA_DIR"])

/** Every setting with its value, and where that comes from. */
export function showSettings(choice: RootChoice, flags: ConfigFlags = {}, env = process.env): ShownSetting[] {
  const { values, origins } = resolveSettings(rootOf(choice), flags, env)
  return SETTING_KEYS.map((key) => {
    const { env: variable, help } = SETTINGS[key]
    return { key, value: shown(values[key]), origins: origins[key], env: variable, help }
  })
}

/** A name and password in an address are nobody's to see. */
function shown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shown)
  return typeof value === "string" ? value.replace(/^(https?:\/\/)[^/@]*@/iu, "$1…@") : value
}

export async function getSetting(
  choice: RootChoice,
  key: string,
  flags: ConfigFlags = {},
): Promise<ShownSetting> {
  const found = showSettings(choice, flags).find((setting) => setting.key === key)
  if (found) return found
  const { unknownKey } = await import("../config/settings-file.ts")
  throw unknownKey(key, "config")
}

/** Writes one setting into the user's file or the project's, and says what it means from now on. */
export async function setSetting(
  choice: RootChoice,
  by: "user" | "project",
  key: string,
  words: readonly string[],
): Promise<{ readonly path: string; readonly setting: ShownSetting; readonly notices: readonly string[] }> {
  const { editSettings } = await import("../config/edit-settings.ts")
  const file = fileOf(choice, by)
  editSettings(file, key, words)
  const setting = await getSetting(choice, key)
  const overriding = setting.origins.filter(({ where }) => !where?.startsWith(`${file.path}:`))
  const isList = Array.isArray(setting.value)
  const notices = isList
    ? []
    : overriding.map(({ where }) => `here it has no effect, because ${where} sets it too`)
  return { path: file.path, setting, notices }
}

export function settingsPaths(choice: RootChoice, env: Environment = process.env): SettingsPath[] {
  return settingsFiles(rootOf(choice), env).map((file) => ({ ...file, exists: existsSync(file.path) }))
}

/** All that is wrong in the files and the environment; none: all is well. */
export async function validateSettings(choice: RootChoice, env = process.env): Promise<Problem[]> {
  const { inspectSettingsFile } = await import("../config/settings-file.ts")
  const root = rootOf(choice)
  const inFiles = settingsFiles(root, env).flatMap((file) =>
    attempt(() => inspectSettingsFile(file).problems),
  )
  const problems = [...inFiles, ...unknownVariables(env), ...relativeDataDir(env)]
  // What only shows once all layers have come together, and wrong values of the environment.
  if (inFiles.length === 0) problems.push(...attempt(() => loadConfig(root ?? "/", {}, env) && []))
  if (problems.length === 0) problems.push(...(await wrongAddresses(env)))
  return problems.map(({ message, hint }) => ({ message, hint: hint ?? null }))
}

/** What only who clones can tell. */
async function wrongAddresses(env: Environment): Promise<AmanError[]> {
  const { configuredRepositories } = await import("./repos/configured.ts")
  const hint = "aman repos list shows the others; aman repos --help says what an address may be"
  return configuredRepositories({}, env).problems.map((problem) => new AmanError("USAGE", problem, { hint }))
}

function attempt(check: () => AmanError[]): AmanError[] {
  try {
    return check()
  } catch (error) {
    if (error instanceof AmanError) return [error]
    throw error
  }
}

function unknownVariables(env: Environment): AmanError[] {
  const known = SETTING_KEYS.map((key) => SETTINGS[key].env as string)
  return Object.keys(env)
    .filter((name) => name.startsWith("AMAN_") && !known.includes(name) && !OTHER_VARIABLES.has(name))
    .map((name) => {
      const meant = nearest(name, known)
      return new AmanError("USAGE", `${name}: no setting has this variable`, {
        hint: meant ? `did you mean ${meant}?` : "aman config show --verbose names them all",
      })
    })
}

/** It is taken as it stands, from the working directory, but what is remembered in one is not known in another. */
function relativeDataDir({ AMAN_DATA_DIR: named }: Environment): AmanError[] {
  if (!named || isAbsolute(named)) return []
  const message = `AMAN_DATA_DIR is a relative path, another folder in each working directory: ${named}`
  return [new AmanError("USAGE", message, { hint: `write it whole: AMAN_DATA_DIR=${resolve(named)}` })]
}

function fileOf(choice: RootChoice, by: "user" | "project"): SettingsFile {
  const root = by === "project" ? findRoot(choice).root : null
  const file = settingsFiles(root, process.env).find((each) => each.by === by)
  if (file) return file
  throw new AmanError("IO", "no folder for the user's settings is known", {
    hint: "set XDG_CONFIG_HOME or HOME",
  })
}

/** Settings can be looked at anywhere; without a project there is none of its file. */
function rootOf(choice: RootChoice): string | null {
  try {
    return findRoot(choice).root
  } catch (error) {
    if (choice.root === undefined && error instanceof AmanError && error.code === "NO_ROOT") return null
    throw error
  }
}
