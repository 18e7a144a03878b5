import {
  closeSync,
  existsSync,
  fstatSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  type Stats,
} from "node:fs"
import { basename, dirname, join } from "node:path"
import {
  AmanError,
  appendPrivate,
  cannotWrite,
  isObject,
  OpenFolder,
  openRegularFile,
  parseJson,
  replaceFile,
  sha256,
  writeNewFile,
} from "../../base/index.ts"
import type { ImportRemark } from "../formats/imported.ts"
import { eventLine, type KnowledgeEvent } from "../log/event.ts"

/** Folder committed with the project. Its content is untrusted: it is checked, and links in it are not followed. */
export const SHARED_FOLDER = ".aman-memory"

/**
 * Limits for files and their size: higher than what a team writes in years, and low enough to read everything at once.
 */
export const SHARED_LIMITS = { files: 500, bytes: 64 << 20, lineChars: 1 << 20 }

export type SharedFile = { readonly name: string; readonly text: string }

/** True for names of files in the folder: a random id for each store, which does not reveal its owner. */
function isSharedFile(name: string): boolean {
  return /^[0-9a-hjkmnp-tv-z]{20}\.jsonl$/.test(name)
}

/**
 * The files of the folder; empty when it does not exist. Other names are ignored; links, pipes and files above the limits
 * are skipped with a remark. Throws IO when the path is a link or a file.
 */
export function readSharedFolder(root: string) {
  const remarks: ImportRemark[] = []
  const files: SharedFile[] = []
  let left = SHARED_LIMITS.bytes
  for (const { name, stat } of sharedStats(root)) {
    const remark = (message: string) => remarks.push({ file: name, line: null, message })
    if (!stat.isFile()) remark("is not a regular file and was not read")
    else if (files.length >= SHARED_LIMITS.files)
      remark(`was not read: more than ${SHARED_LIMITS.files} files`)
    else if (stat.size > left) remark(`was not read: more than ${SHARED_LIMITS.bytes >> 20} MiB in all`)
    else {
      const text = readPlain(join(root, SHARED_FOLDER, name))
      if (text === null) remark("could not be read")
      else {
        files.push({ name, text })
        left -= stat.size
      }
    }
  }
  return { files, remarks }
}

/** Text that changes when a file of the folder changes: name, size, time and inode of each; "" without files. */
export function sharedStamp(root: string): string {
  return sharedStats(root)
    .map(({ name, stat }) => `${name}:${stat.size}:${stat.mtimeMs}:${stat.ino}`)
    .join("\n")
}

/** Path of the folder; null when it does not exist. Throws IO when it is a link or a file. */
function sharedFolderPath(root: string): string | null {
  const path = join(root, SHARED_FOLDER)
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return null
  if (stat.isDirectory()) return path
  throw new AmanError(
    "IO",
    `${SHARED_FOLDER} in this project is a link or a file, not a folder; it was not changed`,
    { hint: "remove it, then run: aman memory sync" },
  )
}

function sharedStats(root: string): { name: string; stat: Stats }[] {
  const folder = sharedFolderPath(root)
  if (folder === null) return []
  return readdirSync(folder)
    .filter(isSharedFile)
    .sort()
    .flatMap((name) => {
      const stat = lstatSync(join(folder, name), { throwIfNoEntry: false })
      return stat === undefined ? [] : [{ name, stat }]
    })
}

/** Reads a plain file without blocking on a pipe or following a link; null when the file has been replaced. */
function readPlain(path: string): string | null {
  try {
    const file = openRegularFile(path)
    try {
      return fstatSync(file).size <= SHARED_LIMITS.bytes ? readFileSync(file, "utf8") : null
    } finally {
      closeSync(file)
    }
  } catch {
    return null
  }
}

/** Appends events to this store's file in the shared folder. `former` is the text that the file has so far. */
export function appendShared(
  root: string,
  file: string,
  events: readonly KnowledgeEvent[],
  former: string,
): void {
  if (events.length === 0) return
  using folder = preparedFolder(root)
  const path = join(folder.at, file)
  const stat = lstatSync(path, { throwIfNoEntry: false })
  // Refused when the file has a second hard link, because the lines would also appear under that name.
  if (stat && (!stat.isFile() || stat.nlink > 1)) {
    throw new AmanError("IO", `${SHARED_FOLDER}/${file} is a link, so it was not written`, {
      hint: "remove it, then run: aman memory sync",
    })
  }
  const lines = events.map((event) => `${eventLine(event)}\n`)
  const start = former === "" || former.endsWith("\n") ? "" : "\n"
  writeOrExplain(() => appendPrivate(path, start + lines.join(""), COMMITTED_MODE))
}

/** Removes the lines about these subjects, except purge marks, from all files; returns how many. */
export function purgeShared(
  root: string,
  files: readonly SharedFile[],
  subjects: ReadonlySet<string>,
): number {
  let removed = 0
  for (const { name, text } of files) {
    const lines = text.split("\n")
    const kept = lines.filter((line) => !isAbout(line, subjects))
    if (kept.length === lines.length) continue
    removed += lines.length - kept.length
    using folder = preparedFolder(root)
    const isSynced = true
    const path = join(folder.at, name)
    writeOrExplain(() => replaceFile(path, kept.join("\n"), { isSynced, mode: COMMITTED_MODE }))
  }
  return removed
}

function isAbout(line: string, subjects: ReadonlySet<string>): boolean {
  if (![...subjects].some((subject) => line.includes(subject))) return false
  const event = parseJson(line) as KnowledgeEvent | undefined
  return event != null && subjects.has(event.subject) && event.change?.type !== "purged"
}

/** Permissions of files that are committed: everybody with the checkout may read them. */
const COMMITTED_MODE = 0o644

/** Makes git keep the lines of both sides in a merge and leave line ends unchanged. */
const ATTRIBUTES = "*.jsonl text eol=lf merge=union\n"

const README = `# Shared memory

What is known of this project, written by \`aman memory sync\`: a file a person's store, a line an event, added at the
end. Commit it. Git merges it without conflicts, and every aman that takes part reads it; nobody's does unasked.
`

function preparedFolder(root: string): OpenFolder {
  const path = sharedFolderPath(root) ?? join(root, SHARED_FOLDER)
  const folder = writeOrExplain(() => OpenFolder.open(path, { make: 0o777, isStrict: true }))
  for (const [name, text] of [
    [".gitattributes", ATTRIBUTES],
    ["README.md", README],
  ] as const) {
    const path = join(folder.at, name)
    if (!existsSync(path) && !lstatSync(path, { throwIfNoEntry: false }))
      writeOrExplain(() => writeNewFile(path, text))
  }
  return folder
}

function writeOrExplain<T>(write: () => T): T {
  try {
    return write()
  } catch (cause) {
    const hint = "the project's folder must be writable; run again: aman memory sync"
    throw cannotWrite(SHARED_FOLDER, cause, hint)
  }
}

/** State of sharing for a project folder whose entries a person shares. */
export type SharedState = {
  readonly root: string
  /** Name of the file in the shared folder to which this store writes. */
  readonly file: string
  /** `sharedStamp` of the folder when it was last read. */
  readonly stamp: string
  /** Id of the shared project. */
  readonly project: string
  /** Number of changes that wait for review, as of `stamp`. */
  readonly held: number
}

/**
 * The state for a project folder; null when it is not shared. It is stored in the user's data folder by the
 * path of the project, so that neither the project's content nor another clone can enable sharing.
 */
export function sharedState(dataDir: string, root: string): SharedState | null {
  const text = readOrEmpty(statePath(dataDir, root))
  const value = text === "" ? null : parseJson(text)
  const isSound = isObject(value) && value["root"] === root && isSharedFile(String(value["file"]))
  return isSound ? (value as SharedState) : null
}

/**
 * Ids of a project's events received from its shared folder. All others in the store were written on this machine or
 * imported by its user. If the list is lost, all events count as written here, which makes the checks stricter.
 */
export function receivedIds(dataDir: string, project: string): Set<string> {
  return new Set(readOrEmpty(receivedPath(dataDir, project)).split("\n").filter(Boolean))
}

export function addReceived(dataDir: string, project: string, ids: readonly string[]): void {
  if (ids.length === 0) return
  const lines = ids.map((id) => `${id}\n`).join("")
  inDataFolder(receivedPath(dataDir, project), (path) => appendPrivate(path, lines))
}

function receivedPath(dataDir: string, project: string): string {
  return join(dataDir, FOLDER, `${hashedFileName(project)}.received`)
}

export function saveSharedState(dataDir: string, state: SharedState): void {
  inDataFolder(statePath(dataDir, state.root), (path) => replaceFile(path, JSON.stringify(state)))
}

/** Calls `write` with the path in the opened folder. */
function inDataFolder(path: string, write: (path: string) => void): void {
  try {
    using folder = OpenFolder.open(dirname(path), { make: 0o700 })
    write(join(folder.at, basename(path)))
  } catch (cause) {
    throw cannotWrite(path, cause, "make that folder writable, or set AMAN_DATA_DIR to another one")
  }
}

/** Disables sharing; received entries and the shared folder stay. */
export function stopSharing(dataDir: string, root: string): void {
  using folder = OpenFolder.open(join(dataDir, FOLDER))
  if (folder !== null) rmSync(join(folder.at, basename(statePath(dataDir, root))), { force: true })
}

const FOLDER = "shared-memory"

function statePath(dataDir: string, root: string): string {
  return join(dataDir, FOLDER, `${hashedFileName(root)}.json`)
}

/** Hash of a path or id as a file name; cached, because it is needed before each recall. */
function hashedFileName(root: string): string {
  const name = names.get(root) ?? sha256(root).slice(0, 32)
  names.set(root, name)
  return name
}

const names = new Map<string, string>()

/**
 * Content of a file; "" when it does not exist, which is the usual case. It is read before each recall, and
 * checking for existence is cheaper than a thrown error.
 */
function readOrEmpty(path: string): string {
  try {
    return existsSync(path) ? readFileSync(path, "utf8") : ""
  } catch {
    return ""
  }
}
