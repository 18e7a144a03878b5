import type { Database } from "bun:sqlite"
import { AmanError } from "../../base/errors.ts"
import { displayPath } from "../../base/paths.ts"
import { schemaVersion } from "../sqlite-error.ts"
import { KNOWLEDGE_MIGRATIONS } from "./migrations/list.ts"

/**
 * Throws KNOWLEDGE_NEWER if the schema is newer than this aman knows. Called when the file is opened and before each
 * write, because a newer aman may migrate the file while an older server has it open.
 */
export function refuseNewer(db: Database, path: string): void {
  if (!isNewer(db)) return
  const schema = schemaVersion(db)
  throw new AmanError(
    "KNOWLEDGE_NEWER",
    `${displayPath(path)} was written by a newer aman (schema ${schema})`,
    {
      hint: "nothing was changed; update aman and restart your agent",
    },
  )
}

/** True if the schema is newer than this aman knows. */
export function isNewer(db: Database): boolean {
  return schemaVersion(db) > KNOWLEDGE_MIGRATIONS.length
}
