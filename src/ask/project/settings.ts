/*
 * The use cases of `aman config`: show, get, set, unset, paths and validate. Values come from base/config/load.ts with
 * their origins; writing changes one line of the user's or the project's file.
 */

import { existsSync } from "node:fs"
import { isAbsolute, resolve } from "node:path"
import {
  AmanError,
  type ConfigFlags,
  type Environment,
  largestFileWithin,
  loadConfig,
  loadEditSettings,
  loadSettingsFile,
  type Origin,
  PROJECT_FILE,
  resolveSettings,
  SETTING_KEYS,
  SETTINGS,
  type SettingsFile,
  settingsFiles,
} from "../../base/index.ts"
import { findRoot, projectRoot, type RootChoice } from "../../index/index.ts"

export type ShownSetting = {
  readonly key: string
  readonly value: unknown
  /** Origins of the value; a list may have several. */
  readonly origins: readonly Origin[]
  readonly env: string
  readonly help: string
}
export type SettingsPath = {
  readonly by: "user" | "project"
  readonly path: string
  readonly exists: boolean
}
export type SettingProblem = { readonly message: string; readonly hint: string | null }

/** `AMAN_*` variables that belong to no setting: the program's, of installers and of tests. */
const OTHER_VARIABLES =
  /^AMAN_(?:BINARY|DATA_DIR|OPENAI_API_KEY|SERVER_TOKEN|TEAM_(?:BLOBS|DATABASE|KEY|NODE_URL|OIDC_(?:AUDIENCE|ISSUER|KEYS|PRINCIPAL|TEAMS)|PROCESS|TOKEN|URL|(?:FORGE|METRICS)_TOKEN|WEBHOOK_SECRET)|BASE_URL|INSTALL_DIR|VERSION|CHROMIUM|(?:BENCH|TEST)_.+)$/

/** Every setting with its value and the origins of the value. */
export function showSettings(choice: RootChoice, flags: ConfigFlags = {}, env = process.env): ShownSetting[] {
  const { values, origins } = resolveSettings(projectRoot(choice), flags, env)
  return SETTING_KEYS.map((key) => {
    const { env: variable, help } = SETTINGS[key]
    return { key, value: maskCredentials(values[key]), origins: origins[key], env: variable, help }
  })
}

/**
 * Settings whose effective value is lower than the written one, because of the rules for project files or the memory
 * limit; each with a remedy.
 */
export function limitedSettings(
  choice: RootChoice,
  flags: ConfigFlags = {},
  env = process.env,
): SettingProblem[] {
  const { values, clamped } = resolveSettings(projectRoot(choice), flags, env)
  const ofProject = clamped.map(({ key, written, used, where }) => ({
    message: `${where ?? PROJECT_FILE} sets ${key} to ${written}, but ${used} is used: a project's file may not ${written > used ? "raise" : "lower"} it that far`,
    hint: `if you trust this project, set it yourself: ${SETTINGS[key].env}=${written} or aman config set ${key} ${written}`,
  }))
  const largest = largestFileWithin(values["performance.memory_limit"])
  const wanted = values["index.max_file_size"]
  const isTight = wanted > largest && wanted !== SETTINGS["index.max_file_size"].value()
  const byMemory = {
    message: `index.max_file_size is ${mebibytes(wanted)}, but ${mebibytes(largest)} is used: larger files exceed the memory limit`,
    hint: `raise performance.memory_limit (${SETTINGS["performance.memory_limit"].env}), which is ${mebibytes(values["performance.memory_limit"])}`,
  }
  return isTight ? [...ofProject, byMemory] : ofProject
}

/** A size as it can be written in a settings file: 98MiB. */
function mebibytes(bytes: number): string {
  return `${Math.floor(bytes / 2 ** 20)}MiB`
}

/** Masks a user name and password in an address. */
function maskCredentials(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskCredentials)
  return typeof value === "string" ? value.replace(/^(https?:\/\/)[^/@]*@/iu, "$1…@") : value
}

export async function getSetting(
  choice: RootChoice,
  key: string,
  flags: ConfigFlags = {},
): Promise<ShownSetting> {
  const match = showSettings(choice, flags).find((setting) => setting.key === key)
  if (match) return match
  const { unknownKey } = await loadSettingsFile()
  throw unknownKey(key, "config")
}

/**
 * Writes one setting into the user's or the project's file and returns its resulting value. With `isAdded` the words are
 * added to a list.
 */
export async function setSetting(
  choice: RootChoice,
  by: "user" | "project",
  key: string,
  words: readonly string[],
  isAdded = false,
): Promise<{ readonly path: string; readonly setting: ShownSetting; readonly notices: readonly string[] }> {
  const { editSettings } = await loadEditSettings()
  const file = settingsFile(choice, by)
  editSettings(file, key, words, isAdded)
  const setting = await getSetting(choice, key)
  const overriding = setting.origins.filter(({ where }) => !where?.startsWith(`${file.path}:`))
  const isList = Array.isArray(setting.value)
  const notices = isList
    ? []
    : overriding.map(({ where }) => `it has no effect here, because ${where} sets it too`)
  return { path: file.path, setting, notices }
}

/**
 * Removes one setting from the user's or the project's file and returns the value that holds now; null for a setting of
 * an earlier version.
 */
export async function unsetSetting(
  choice: RootChoice,
  by: "user" | "project",
  key: string,
): Promise<{ readonly path: string; readonly removed: boolean; readonly setting: ShownSetting | null }> {
  const { removeSetting } = await loadEditSettings()
  const { isRetired } = await loadSettingsFile()
  const file = settingsFile(choice, by)
  const removed = removeSetting(file, key)
  return { path: file.path, removed, setting: isRetired(key) ? null : await getSetting(choice, key) }
}

export function settingsPaths(choice: RootChoice, env: Environment = process.env): SettingsPath[] {
  return settingsFiles(projectRoot(choice), env).map((file) => ({ ...file, exists: existsSync(file.path) }))
}

/** Problems in the settings files and the environment; empty when all settings are valid. */
export async function validateSettings(choice: RootChoice, env = process.env): Promise<SettingProblem[]> {
  const { inspectSettingsFile } = await loadSettingsFile()
  const root = projectRoot(choice)
  const inFiles = settingsFiles(root, env).flatMap((file) =>
    errorsOf(() => {
      const { problems, ignored } = inspectSettingsFile(file)
      return [...problems, ...ignored]
    }),
  )
  const problems = [...inFiles, ...(await unknownVariables(env)), ...relativeDataDir(env)]
  // Loads all layers of settings, which finds problems of their combination and wrong values in the environment.
  if (inFiles.length === 0) problems.push(...errorsOf(() => loadConfig(root ?? "/", {}, env) && []))
  if (problems.length === 0) problems.push(...(await wrongAddresses(env)))
  return problems.map(({ message, hint }) => ({ message, hint: hint ?? null }))
}

/** Problems of configured repository addresses, which only the repository code can check. */
async function wrongAddresses(env: Environment): Promise<AmanError[]> {
  const { configuredRepositories } = await import("../repositories/configured.ts")
  const hint = "see: aman repos list, aman repos --help"
  return configuredRepositories({}, env).problems.map((problem) => new AmanError("USAGE", problem, { hint }))
}

function errorsOf(check: () => AmanError[]): AmanError[] {
  try {
    return check()
  } catch (error) {
    if (error instanceof AmanError) return [error]
    throw error
  }
}

async function unknownVariables(env: Environment): Promise<AmanError[]> {
  const { unknownVariable } = await loadSettingsFile()
  const known = new Set<string>(SETTING_KEYS.map((key) => SETTINGS[key].env))
  return Object.keys(env)
    .filter(
      (name) => name.startsWith("AMAN_") && env[name] && !known.has(name) && !OTHER_VARIABLES.test(name),
    )
    .map(unknownVariable)
}

/**
 * The problem of a relative AMAN_DATA_DIR: it names a different folder, with different memories, in each working
 * directory.
 */
function relativeDataDir({ AMAN_DATA_DIR: named }: Environment): AmanError[] {
  if (!named || isAbsolute(named)) return []
  const message = `AMAN_DATA_DIR is a relative path, so it depends on the working directory: ${named}`
  return [new AmanError("USAGE", message, { hint: `use an absolute path: AMAN_DATA_DIR=${resolve(named)}` })]
}

function settingsFile(choice: RootChoice, by: "user" | "project"): SettingsFile {
  const root = by === "project" ? findRoot(choice).root : null
  const file = settingsFiles(root, process.env).find((each) => each.by === by)
  if (file) return file
  throw new AmanError("IO", "the folder of the user's settings is unknown", {
    hint: "set XDG_CONFIG_HOME or HOME",
  })
}
