import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { OpenFolder, replaceFile } from "../../base/index.ts"
import type { FilledContainer } from "./edit/json-edit.ts"

/** Record of what setup did to a file, for undoing it. */
export type FileRecord = {
  /** True if setup created the file. */
  readonly created: boolean
  /** Folders that setup created for the file, outermost first. */
  readonly folders: readonly string[]
  /** Backup of the original file; null if it did not exist, or was changed between two runs. */
  readonly original: { readonly backup: string; readonly sha256: string } | null
  /** SHA-256 of the text that setup wrote. */
  readonly written: string
  readonly filled: readonly FilledContainer[]
  /** Parts of clients that use the file, as "client/part"; several may share one file. */
  readonly owners: readonly string[]
}

export type Records = Readonly<Record<string, FileRecord>>

const FILE = "written.json"

/** Records by real path; null if the file cannot be read: a removal then relies on the files' content. */
export function readRecords(folder: string): Records | null {
  const path = join(folder, FILE)
  if (!existsSync(path)) return {}
  try {
    const { files } = JSON.parse(readFileSync(path, "utf8"))
    return typeof files === "object" ? files : null
  } catch {
    return null
  }
}

export function writeRecords(folder: string, records: Records): void {
  using opened = OpenFolder.open(folder, { make: 0o700 })
  replaceFile(join(opened.at, FILE), `${JSON.stringify({ version: 1, files: records }, null, 2)}\n`)
}
