import type { Config } from "../config/load.ts"

export type ScanOptions = {
  /** Larger files are left out. */
  readonly maxFileBytes: number
  /** The index's own folder, absolute; its files are never read, by whatever name. */
  readonly indexDir: string
  /** After so many files, or four times as many folders, the walk ends; what is deepest is missing then. */
  readonly maxFiles?: number
  /** Patterns as in an ignore file at the root; where there are any, only what they match counts. */
  readonly include?: readonly string[]
  /** Lines of an `.amanignore` at the root. */
  readonly exclude?: readonly string[]
  /** Whether submodules belong to the project. They do unless this is false. */
  readonly submodules?: boolean
  /** No name but a secret's leaves a file out: lock files, minified code and media are taken, too. */
  readonly everyName?: boolean
}

/** What the configuration says about which files there are. */
export function scanOptionsOf({ index, paths, submodules }: Config): ScanOptions {
  const { maxFileBytes, maxFiles, dir: indexDir } = index
  const { include, exclude } = paths
  return { maxFileBytes, indexDir, maxFiles, include, exclude, submodules: submodules.enabled }
}

/** What of the options decides which files are found, to be compared later. */
export function optionsKey({ maxFiles, include = [], exclude = [], submodules = true }: ScanOptions): string {
  return JSON.stringify([maxFiles ?? null, include, exclude, submodules])
}
