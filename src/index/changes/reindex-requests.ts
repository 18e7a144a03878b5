import {
  closeSync,
  constants,
  fstatSync,
  futimesSync,
  lstatSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs"
import { join } from "node:path"
import { isPlain } from "../../base/files/files.ts"

// The request file: it exists when a process has asked the leader to scan, because processes on one index
// share nothing else. Each line is the path of a file, in JSON, to be read whatever its size and time say.
const NAME = "wanted"
/** Limit of the file's size. A path that does not fit is still covered by the leader's next scan. */
const MAX_BYTES = 64 << 10

/** Follows no link and does not block on a pipe. Windows has neither flag. */
const PLAIN_FILE_FLAGS = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
const READ_FLAGS = constants.O_RDONLY | PLAIN_FILE_FLAGS

/**
 * Asks the leader of this index to scan the project soon, and to read `suspects` again whatever their size
 * and time. Does not write to anything but a plain file, because the project's history may have put a link at
 * that path; the leader removes it.
 */
export function requestReindex(folder: string, now: Date, suspects: readonly string[] = []): void {
  const path = join(folder, NAME)
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined && !isPlain(path)) return
  const file = openSync(
    path,
    constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | PLAIN_FILE_FLAGS,
    0o644,
  )
  try {
    // Starts with a newline, so that the line is complete even after one that was cut off.
    const lines = Buffer.from(suspects.map((suspect) => `\n${JSON.stringify(suspect)}\n`).join(""))
    if (fstatSync(file).size + lines.length <= MAX_BYTES) writeSync(file, lines)
    futimesSync(file, now, now)
  } finally {
    closeSync(file)
  }
}

/**
 * Takes the requests since the last call: the paths to read again, or null if there was no request. Only the
 * leader may call this. A request at the same moment may be lost; the next query that finds the difference
 * repeats it.
 */
export function takeReindexRequests(folder: string): string[] | null {
  const path = join(folder, NAME)
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return null
  try {
    const isOurs = isPlain(path) && found.size <= MAX_BYTES
    const lines = isOurs ? readFileSync(path, { encoding: "utf8", flag: READ_FLAGS }).split("\n") : []
    rmSync(path, { recursive: true, force: true })
    return lines.flatMap(pathIn)
  } catch {
    // On Windows this happens while another process has the file open.
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
