import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { AmanError } from "../base/errors.ts"

export const INDEX_FILE = "index.db"

/** Makes the index's folder, invisible to git whatever the project's own rules say. */
export function ensureIndexFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true })
    const ignore = join(folder, ".gitignore")
    if (!existsSync(ignore)) writeFileSync(ignore, "*\n")
  } catch (cause) {
    throw new AmanError("IO", `cannot write the index folder ${folder}`, {
      hint: "make it writable, or name another one with AMAN_INDEX_DIR",
      cause,
    })
  }
}

export function indexPath(folder: string): string {
  return join(folder, INDEX_FILE)
}
