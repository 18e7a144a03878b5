import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Filled } from "./edit/json-insert.ts"

/** What setup did to a file, so that it can be undone. */
export type FileRecord = {
  /** Whether setup made it. */
  readonly created: boolean
  /** Folders it made for it, the outermost first. */
  readonly folders: readonly string[]
  /** What the file was; null where it was not there, or somebody changed it between two runs. */
  readonly original: { readonly backup: string; readonly sha256: string } | null
  /** What setup left it as. */
  readonly written: string
  readonly filled: readonly Filled[]
  /** Whose it is, as "client/part": several may share one file. */
  readonly owners: readonly string[]
}

export type Records = Readonly<Record<string, FileRecord>>

const FILE = "written.json"

/** By real path; null where what is there cannot be read: removing then goes by what the files say. */
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
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const temporary = join(folder, `${FILE}.${process.pid}`)
  writeFileSync(temporary, `${JSON.stringify({ version: 1, files: records }, null, 2)}\n`, { mode: 0o600 })
  renameSync(temporary, join(folder, FILE))
}
