import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  futimesSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs"
import { dirname, join } from "node:path"
import {
  AmanError,
  cannotWrite,
  fileIdentity,
  isInside,
  isPlain,
  modeIn,
  OpenFolder,
  PLAIN_FILE_FLAGS,
} from "../base/index.ts"
import { fileError, isNoRoom, type LeaderLock, LOCK_FILE } from "../store/index.ts"

export const INDEX_FILE = "index.db"
const IGNORE_FILE = ".gitignore"

/**
 * Matches the names of all files that aman writes into an index folder. Other files in the folder must not be touched.
 */
const OURS =
  /^(?:\.gitignore|wanted|damaged|(?:index|lock|exact)\.db(?:-[a-z]+)?|(?:keyword|vectors)-[\w.-]+)$/u
/**
 * Matches the journal files of lock.db. The lock never writes in a transaction, so it never leaves a journal. A journal
 * with this name was planted, and SQLite would apply it. It could name a "super-journal", which SQLite would delete
 * wherever it is.
 */
const LOCK_JOURNAL = /^lock\.db-/u

/**
 * Permissions of an index folder inside the project: the usual ones, because the index reveals no more than the
 * project's files.
 */
const IN_PROJECT = 0o777
/**
 * Permissions of an index folder elsewhere: only its user may read it, because other users may not be allowed to read
 * the project.
 */
const ELSEWHERE = 0o700

/** The folder of a project, and the folder of its index. */
export type IndexPlace = { readonly root: string; readonly dir: string }

/**
 * Opens the folder of an index and keeps it open; null if it does not exist. Throws IO if a link or a file is at its
 * path.
 */
export function openIndexFolder({ root, dir }: IndexPlace): OpenFolder | null {
  return OpenFolder.open(dir, { isStrict: isInside(root, dir) })
}

/**
 * Creates the folder of the index and hides it from git, whatever ignore rules the project has. A link, or anything
 * else but a plain file, at the path of one of aman's files is removed, because writing through a link would change a
 * file elsewhere.
 */
export function ensureIndexFolder({ root, dir }: IndexPlace): OpenFolder {
  let opened: OpenFolder | null = null
  try {
    const isStrict = isInside(root, dir)
    opened = OpenFolder.open(dir, { isStrict, make: isStrict ? IN_PROJECT : ELSEWHERE })
    for (const name of ourNames(opened.at)) {
      if (LOCK_JOURNAL.test(name) || isForeign(join(opened.at, name))) remove(opened.at, name)
    }
    if (!isStrict) makePrivate(opened.at)
    hideFromGit(join(opened.at, IGNORE_FILE))
    return opened
  } catch (cause) {
    opened?.[Symbol.dispose]()
    if (cause instanceof AmanError) throw cause
    if (isNoRoom(cause)) throw fileError(cause, dir)
    throw cannotWrite(dir, cause, "make it writable, or set AMAN_INDEX_DIR to another folder")
  }
}

/** Removes the files of an index. The caller must hold its lock. The folder and the lock file stay. */
export function emptyIndexFolder(folder: string): void {
  for (const name of ourNames(folder)) {
    if (name !== IGNORE_FILE && !name.startsWith(LOCK_FILE)) remove(folder, name)
  }
}

/** True when the folder contains files of an index besides the lock file, which exists before there is an index. */
export function hasIndexFiles(folder: string): boolean {
  return ourNames(folder).some((name) => name !== IGNORE_FILE && !name.startsWith(LOCK_FILE))
}

/**
 * Removes all files that aman has written, and the folder if it is then empty. The lock file is removed last, after
 * `forget` was called. As soon as the lock file is gone, another process may become leader, and a later `forget` would
 * affect the index of that process.
 */
export function removeIndexFolder(opened: OpenFolder, lead: LeaderLock, forget: () => void): void {
  for (const name of ourNames(opened.at)) if (name !== LOCK_FILE) remove(opened.at, name)
  forget()
  try {
    lead.removeFile()
    if (opened.isInPlace) rmdirSync(opened.path)
  } catch {
    // It contains files that aman has not written, or, on Windows, another process has just taken the lock.
  }
}

/** Number of the files of the index, and their size in bytes. */
export function indexFolderSize(folder: string): { readonly bytes: number; readonly files: number } {
  const sizes = ourNames(folder).map((name) => {
    // lock.db must not be opened here (see LeaderLock); lstat does not open it.
    return lstatSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0
  })
  return { bytes: sizes.reduce((sum, size) => sum + size, 0), files: sizes.length }
}

export function indexPath(folder: string): string {
  return join(folder, INDEX_FILE)
}

/**
 * Makes an index folder readable by its user only; earlier versions made it readable to everyone. A folder that also
 * contains other files keeps its permissions.
 */
function makePrivate(folder: string): void {
  const { mode, uid } = statSync(folder)
  const names = readdirSync(folder)
  if ((mode & 0o077) === 0 || uid !== process.getuid?.() || !names.every((name) => OURS.test(name))) return
  chmodSync(folder, ELSEWHERE)
  for (const name of names) chmodSync(join(folder, name), 0o600)
}

/**
 * True for anything but a plain file without further hard links. False when the path no longer exists: another process
 * may be creating it again.
 */
function isForeign(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found !== undefined && !(found.isFile() && found.nlink <= 1)
}

/**
 * Writes the .gitignore of the index. An empty one, which a full disk or a killed process leaves, is replaced;
 * otherwise git would commit the index.
 */
function hideFromGit(ignore: string): void {
  const found = lstatSync(ignore, { throwIfNoEntry: false })
  if (found !== undefined && found.size > 0) return
  if (found !== undefined) rmSync(ignore, { force: true })
  try {
    // The flag wx makes the write fail if another process has created the file first.
    writeFileSync(ignore, "*\n", { flag: "wx", mode: modeIn(dirname(ignore)) })
  } catch (error) {
    if ((error as { code?: unknown }).code !== "EEXIST") throw error
  }
}

function ourNames(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => OURS.test(name)) : []
}

function remove(folder: string, name: string): void {
  rmSync(join(folder, name), { recursive: true, force: true })
}

/**
 * Name of the file by which a reader reports that the index is damaged. Its content identifies the damaged index.db, so
 * that a newer one is not deleted.
 */
const DAMAGED_FILE = "damaged"

const WRITE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | PLAIN_FILE_FLAGS

/**
 * Asks the leader to rebuild the index. Writes to a plain file only, because the history of the project may have put a
 * link at that path.
 */
export function markDamaged(folder: string): void {
  const path = join(folder, DAMAGED_FILE)
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined && !isPlain(path)) return
  const file = openSync(path, WRITE_FLAGS, 0o644)
  try {
    writeSync(file, fileIdentity(indexPath(folder)))
  } finally {
    closeSync(file)
  }
}

/**
 * Removes the mark. Returns true if a reader left it for the index.db that exists now. Only the leader may call this.
 */
export function takeDamagedMark(folder: string): boolean {
  const path = join(folder, DAMAGED_FILE)
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return false
  const isOurs = isPlain(path) && found.size <= 100
  const named = isOurs
    ? readFileSync(path, { encoding: "utf8", flag: constants.O_RDONLY | PLAIN_FILE_FLAGS })
    : ""
  rmSync(path, { recursive: true, force: true })
  return named !== "" && named === fileIdentity(indexPath(folder))
}

export function isMarkedDamaged(folder: string): boolean {
  return lstatSync(join(folder, DAMAGED_FILE), { throwIfNoEntry: false }) !== undefined
}

// Name of the request file in the index folder. It exists while a process asks the leader (the one process that may
// write the index) to scan. Each line is the path, in JSON, of a file that the leader should read even if its size and
// time are unchanged.
const REQUEST_FILE = "wanted"
/** Maximum size of the request file. A path that does not fit is still covered by the scan that the request causes. */
const MAX_REQUEST_BYTES = 64 << 10

const READ_FLAGS = constants.O_RDONLY | PLAIN_FILE_FLAGS

/**
 * Asks the leader of this index to scan the project soon, and to read the files `suspects` even if their size and time
 * are unchanged. Writes to a plain file only, because the history of the project may have put a link at that path; the
 * leader removes such a link.
 */
export function requestReindex(folder: string, now: Date, suspects: readonly string[] = []): void {
  const path = join(folder, REQUEST_FILE)
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined && !isPlain(path)) return
  const file = openSync(
    path,
    constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | PLAIN_FILE_FLAGS,
    0o644,
  )
  try {
    // Each line starts with a newline, so that it is complete even if the line before it was cut off.
    const lines = Buffer.from(suspects.map((suspect) => `\n${JSON.stringify(suspect)}\n`).join(""))
    if (fstatSync(file).size + lines.length <= MAX_REQUEST_BYTES) writeSync(file, lines)
    futimesSync(file, now, now)
  } finally {
    closeSync(file)
  }
}

/**
 * Takes the requests made since the last call. Returns the paths to read, or null if there was no request. Only the
 * leader may call this. A request made at the same moment may be lost; the next query that finds the difference makes
 * it again.
 */
export function takeReindexRequests(folder: string): string[] | null {
  const path = join(folder, REQUEST_FILE)
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return null
  try {
    const isOurs = isPlain(path) && found.size <= MAX_REQUEST_BYTES
    const lines = isOurs ? readFileSync(path, { encoding: "utf8", flag: READ_FLAGS }).split("\n") : []
    rmSync(path, { recursive: true, force: true })
    return lines.flatMap(pathIn)
  } catch {
    // On Windows, removing the file fails while another process has it open.
    return null
  }
}

function pathIn(line: string): string[] {
  if (line === "") return []
  try {
    const path: unknown = JSON.parse(line)
    return typeof path === "string" ? [path] : []
  } catch {
    return []
  }
}
