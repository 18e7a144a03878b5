import { join } from "node:path"
import { userDataDir } from "../base/paths.ts"
import { type ConfigFlags, type Environment, resolveSettings } from "./resolve.ts"

/** What the user decided about other repositories. No project has a say in it. */
export type ReposConfig = {
  readonly isEnabled: boolean
  /** As they were written. */
  readonly urls: readonly string[]
  readonly baseDir: string
  readonly syncIntervalMs: number
  readonly syncTimeoutMs: number
  readonly maxFileBytes: number
  readonly maxResults: number
}

/** Throws USAGE for a wrong value, naming where it was written. */
export function loadReposConfig(flags: ConfigFlags = {}, env: Environment = process.env): ReposConfig {
  const { values } = resolveSettings(null, flags, env)
  return {
    isEnabled: values["repos.enabled"],
    urls: values["repos.urls"],
    baseDir: values["repos.base_dir"] || join(userDataDir(env), "repos"),
    syncIntervalMs: values["repos.sync_interval"],
    syncTimeoutMs: values["repos.sync_timeout"],
    maxFileBytes: values["repos.max_file_size"],
    maxResults: values["repos.max_results"],
  }
}
