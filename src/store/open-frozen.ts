import { constants, Database } from "bun:sqlite"

/**
 * Reads a database as it lies, making no file beside it: for a folder that cannot be written, and only where no log
 * (-wal) belongs to it. Later commits of others stay unseen.
 */
export function openFrozen(path: string): Database {
  const address = encodeURI(path).replaceAll("?", "%3f").replaceAll("#", "%23")
  // Asked for "readonly" by name, bun does not take the path for an address.
  return new Database(
    `file:${address}?immutable=1`,
    constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI,
  )
}
