import type { Database } from "bun:sqlite"
import { accessSync, constants, existsSync, lstatSync, rmSync } from "node:fs"
import { join } from "node:path"
import { AmanError, fileIdentity, isPlain, OpenFolder, systemError } from "../../base/index.ts"
import { areDatabaseFiles, DATABASE_SUFFIXES, openDatabase } from "../open-database.ts"
import { storeError } from "../sqlite-error.ts"

export const LOCK_FILE = "lock.db"

/**
 * Maximum number of attempts to lock. An attempt fails if another process creates, removes or replaces the lock file at
 * the same time.
 */
const MAX_ATTEMPTS = 5

/** The file whose lock makes a process the leader of a folder. The leader must not open this file a second time. */
export const lockPath = (folder: string): string => join(folder, LOCK_FILE)

/**
 * The lock of the leader, which gives it the right to write the contents of a folder (of an index, or of the clones).
 * The lock is an open transaction on lock.db, which the operating system ends when the process ends. The leader must
 * not open lock.db a second time, because closing any descriptor of the file releases the lock (POSIX).
 */
export class LeaderLock {
  readonly #database: Database
  readonly #path: string
  readonly #identity: string
  readonly #folder: OpenFolder
  readonly #isFolderOurs: boolean
  #isEnded = false

  private constructor(database: Database, folder: OpenFolder, isFolderOurs: boolean) {
    this.#database = database
    this.#path = lockPath(folder.at)
    this.#identity = fileIdentity(this.#path)
    this.#folder = folder
    this.#isFolderOurs = isFolderOurs
  }

  /**
   * Takes the lock; null if another process is the leader. If `folder` is an OpenFolder, the caller must close it after
   * releasing the lock.
   */
  static take(folder: OpenFolder | string): LeaderLock | null {
    if (typeof folder !== "string") return LeaderLock.#takeIn(folder, false)
    const opened = OpenFolder.open(folder)
    if (opened === null) return null
    const lead = LeaderLock.#takeIn(opened, true)
    if (lead === null) opened[Symbol.dispose]()
    return lead
  }

  static #takeIn(folder: OpenFolder, isFolderOurs: boolean): LeaderLock | null {
    const path = lockPath(folder.at)
    let isRemoved = false
    let failure: Error | null = null
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const identityBefore = fileIdentity(path)
      const database = tryLock(path)
      if (database === "busy") return null
      if (database instanceof Error) {
        // Another process may have removed or replaced the file at this moment.
        failure = database
        continue
      }
      if (database === "garbage") {
        if (isRemoved) return null
        removeForeign(path)
        isRemoved = true
        continue
      }
      const lead = new LeaderLock(database, folder, isFolderOurs)
      // Removing an index also removes its lock file, and the lock on a removed file protects nothing. So the path must
      // name the same file before and after locking.
      if (identityBefore !== "" && identityBefore === lead.#identity) return lead
      lead.#end()
    }
    if (failure !== null) throw lockError(failure, path)
    return null
  }

  /**
   * True if locking works in this folder, tested with a new file that no other process knows. Some network file systems
   * have no locks; SQLite reports that in the same way as a lock held by another process.
   */
  static canLock(folder: OpenFolder): boolean {
    const path = `${lockPath(folder.at)}-probe`
    rmSync(path, { force: true })
    const database = tryLock(path)
    if (database !== "busy" && database !== "garbage" && !(database instanceof Error)) database.close()
    rmSync(path, { force: true })
    return database !== "busy"
  }

  /**
   * True if any process is the leader; null if that cannot be determined. The leader itself must not call this. `open`
   * opens the folder, or returns null if it does not exist.
   */
  static isHeld(open: () => OpenFolder | null): boolean | null {
    try {
      using opened = open()
      return opened === null ? false : LeaderLock.#isHeldIn(opened)
    } catch {
      return null
    }
  }

  static #isHeldIn(folder: OpenFolder): boolean | null {
    const path = lockPath(folder.at)
    try {
      accessSync(path, constants.W_OK)
    } catch (error) {
      return (error as { code?: string }).code === "ENOENT" ? false : null
    }
    const database = tryLock(path)
    if (database === "busy") return true
    if (database instanceof Error) return null
    if (database !== "garbage") database.close()
    return false
  }

  /**
   * True while this process is the leader. False once lock.db or its folder was removed or replaced, because another
   * process may then be the leader: stop writing.
   */
  get held(): boolean {
    if (this.#isEnded || !this.#folder.isInPlace) return false
    return this.#database.inTransaction && fileIdentity(this.#path) === this.#identity
  }

  release(): void {
    this.#end()
    if (this.#isFolderOurs) this.#folder[Symbol.dispose]()
  }

  /**
   * Removes the lock file, as the last act on a folder that is removed. Windows removes no file that is open: there the lock is
   * given up first, and a process that takes it at that moment keeps the file.
   */
  removeFile(isWindows: boolean = process.platform === "win32"): void {
    if (isWindows) this.#end()
    rmSync(this.#path, { force: true })
  }

  #end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    if (this.#database.inTransaction) this.#database.run("ROLLBACK")
    this.#database.close()
  }

  [Symbol.dispose](): void {
    this.release()
  }
}

/**
 * Polls whether the lock of the leader is free. A poll costs a few stats and one attempt to lock, a tenth of a failed
 * `LeaderLock.take`.
 */
export class LeaderLockWatch implements Disposable {
  readonly #open: () => OpenFolder | null
  #folder: OpenFolder | null = null
  #database: Database | null = null
  #identity = ""

  /** `open` opens the folder, or returns null if it does not exist. */
  constructor(open: () => OpenFolder | null) {
    this.#open = open
  }

  /** True if the lock should be tried: it is free, or the lock file is in an unusual state, which taking the lock repairs. */
  isFree(): boolean {
    try {
      const folder = this.#folderInPlace()
      if (folder === null) return true
      const path = lockPath(folder.at)
      // A journal beside the lock file is foreign, because the lock never leaves one, and SQLite would apply it. Taking
      // the lock removes a journal and a link.
      if (existsSync(`${path}-journal`) || !isPlain(path)) return true
      if (this.#database === null || fileIdentity(path) !== this.#identity) this.#openDatabase(path)
      this.#database!.run("BEGIN IMMEDIATE")
    } catch (error) {
      return (error as { code?: unknown }).code !== "SQLITE_BUSY"
    }
    this.close()
    return true
  }

  close(): void {
    this.#closeDatabase()
    this.#folder?.[Symbol.dispose]()
    this.#folder = null
  }

  [Symbol.dispose](): void {
    this.close()
  }

  #folderInPlace(): OpenFolder | null {
    if (this.#folder?.isInPlace === false) this.close()
    this.#folder ??= this.#open()
    return this.#folder
  }

  #closeDatabase(): void {
    if (this.#database?.inTransaction) this.#database.run("ROLLBACK")
    this.#database?.close()
    this.#database = null
  }

  #openDatabase(path: string): void {
    this.#closeDatabase()
    this.#database = openDatabase(path, "write")
    this.#database.run("PRAGMA busy_timeout = 0")
    this.#identity = fileIdentity(path)
  }
}

/**
 * Opens a transaction on the lock file. Returns "busy" if another process holds the lock, "garbage" if the file is no
 * database, or the error of opening or locking it.
 */
function tryLock(path: string): Database | "busy" | "garbage" | Error {
  // A journal is removed first, because SQLite would apply it, which can delete files elsewhere. The lock itself never
  // leaves a journal.
  if (lstatSync(`${path}-journal`, { throwIfNoEntry: false }) !== undefined) {
    rmSync(`${path}-journal`, { recursive: true, force: true })
  }
  if (!areDatabaseFiles(path)) return "garbage"
  let database: Database | undefined
  try {
    database = openDatabase(path, "create")
    database.run("PRAGMA busy_timeout = 0")
    // The journal of the lock is in memory, so any journal file beside the lock file was put there by someone else.
    database.run("PRAGMA journal_mode = MEMORY")
    database.run("BEGIN IMMEDIATE")
    return database
  } catch (error) {
    database?.close()
    if (isGarbage(error)) return "garbage"
    return isFailure(error) ? error : "busy"
  }
}

/** True if the cause is the disk or a missing permission, so that waiting for another process does not help. */
function isFailure(error: unknown): error is Error {
  // An error about a path that is too long is excluded, because the caller reports it with more detail.
  return systemError(error) !== null && (error as { code?: unknown }).code !== "ENAMETOOLONG"
}

function lockError(error: Error, path: string): unknown {
  const known = storeError(error, path)
  return known instanceof AmanError ? known : (systemError(error) ?? error)
}

/** Removes a lock file that is no database, and files beside it that have names of SQLite's files but are no plain files. */
function removeForeign(path: string): void {
  const beside = DATABASE_SUFFIXES.filter((suffix) => suffix !== "" && !areDatabaseFiles(path + suffix))
  for (const suffix of ["", ...beside]) rmSync(path + suffix, { recursive: true, force: true })
}

function isGarbage(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "SQLITE_NOTADB"
}

/**
 * Maximum time in ms that a statement waits for other processes. It applies to the whole process, because waiting
 * blocks its thread. A process for which a late answer is useless, such as a hook, sets it lower.
 */
export const lockWait = { maxMs: Number.POSITIVE_INFINITY }

export function limitedWaitMs(usualMs: number): number {
  return Math.min(usualMs, lockWait.maxMs)
}
