import { Database } from "bun:sqlite"
import { chmodSync, existsSync, mkdirSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { cannotWrite } from "../../base/cannot-write.ts"
import { AmanError } from "../../base/errors.ts"
import { migrate, schemaVersion } from "../migrate.ts"
import { openFrozen } from "../open-frozen.ts"
import { waitAtMost } from "../patience.ts"
import { isFull } from "../sqlite-error.ts"
import { BUSY_TIMEOUT_MS } from "./begin.ts"
import { knowledgeError } from "./knowledge-error.ts"
import { KnowledgeStore } from "./knowledge-store.ts"
import { KNOWLEDGE_MIGRATIONS } from "./migrations/list.ts"

const CACHE_KIB = 16_384
const WAL_LIMIT_BYTES = 4 << 20

/**
 * Opens the user's knowledge, making the file first unless `readonly`; where there is none yet, reading finds an empty
 * one. KNOWLEDGE_CORRUPT and KNOWLEDGE_NEWER leave the file as it is: it is the truth and cannot be made anew.
 */
export function openKnowledgeStore(path: string, options: { readonly?: boolean } = {}): KnowledgeStore {
  const readonly = options.readonly ?? false
  let db: Database | undefined
  try {
    if (readonly && !existsSync(path)) return new KnowledgeStore(empty(), path, true)
    db = readonly ? openForReading(path) : openForWriting(path)
    return new KnowledgeStore(db, path, readonly)
  } catch (error) {
    db?.close()
    throw knowledgeError(error, path)
  }
}

function openForWriting(path: string): Database {
  if (path !== ":memory:") makeFolder(dirname(path))
  const db = new Database(path, { create: true, readwrite: true })
  try {
    if (path !== ":memory:") keepPrivate(path)
    // First: all that follows may have to wait for another process that does the same.
    db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
    refuseNewer(db, path)
    db.run("PRAGMA journal_mode = WAL")
    // One sync a commit: what was acknowledged outlasts a power failure. 0.25 ms on the disk it was measured on.
    db.run("PRAGMA synchronous = FULL")
    migrate(db, KNOWLEDGE_MIGRATIONS)
    db.run(`PRAGMA journal_size_limit = ${WAL_LIMIT_BYTES}`)
    tune(db)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** In a folder that cannot be written, or on a full disk, a file without a log is read as it lies. */
function openForReading(path: string): Database {
  const db = new Database(path, { readonly: true })
  try {
    db.run(`PRAGMA busy_timeout = ${waitAtMost(BUSY_TIMEOUT_MS)}`)
    return readable(db, path)
  } catch (error) {
    db.close()
    if (!isAllInTheFile(error, path)) throw error
    return readable(openFrozen(path), path)
  }
}

/**
 * On a full disk an empty log is left by whoever tried to write; it is not that of a writer, whose index would be
 * there.
 */
function isAllInTheFile(error: unknown, path: string): boolean {
  const code = (error as { code?: string }).code ?? ""
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false })
  if (/CANTOPEN|READONLY/.test(code)) return log === undefined
  return isFull(code) && (log?.size ?? 0) === 0
}

function readable(db: Database, path: string): Database {
  refuseNewer(db, path)
  if (schemaVersion(db) === 0) {
    // Made by a process that was killed before its first transaction.
    db.close()
    return empty()
  }
  tune(db)
  return db
}

function empty(): Database {
  const db = new Database(":memory:")
  migrate(db, KNOWLEDGE_MIGRATIONS)
  return db
}

function refuseNewer(db: Database, path: string): void {
  const found = schemaVersion(db)
  if (found > KNOWLEDGE_MIGRATIONS.length)
    throw new AmanError("KNOWLEDGE_NEWER", `${path} was written by a newer aman (schema ${found})`, {
      hint: "update this aman; nothing was changed",
    })
}

function tune(db: Database): void {
  db.run(`PRAGMA cache_size = -${CACHE_KIB}`)
  db.run("PRAGMA temp_store = MEMORY")
}

/** What is remembered is nobody else's business. */
function keepPrivate(path: string): void {
  try {
    chmodSync(path, 0o600)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const hint = "name a folder of your own with AMAN_DATA_DIR"
    if (code !== "EPERM" && code !== "ENOTSUP") throw cannotWrite(path, error, hint)
    // Somebody else's file, or a mount without modes: it may well be writable.
    throw new AmanError("IO", `${path} cannot be kept private: ${message}`, { hint, cause: error })
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw cannotWrite(folder, error, "name another folder with AMAN_DATA_DIR")
  }
}
