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
import { isPlain, PLAIN_FILE_FLAGS } from "../../base/files/files.ts"

// Name of the request file in the index folder. It exists while a process asks the leader (the one process that may
// write the index) to scan. Each line is the path, in JSON, of a file that the leader should read even if its size and
// time are unchanged.
const NAME = "wanted"
/** Maximum size of the request file. A path that does not fit is still covered by the scan that the request causes. */
const MAX_BYTES = 64 << 10

const READ_FLAGS = constants.O_RDONLY | PLAIN_FILE_FLAGS

/**
 * Asks the leader of this index to scan the project soon, and to read the files `suspects` even if their size and time
 * are unchanged. Writes to a plain file only, because the history of the project may have put a link at that path; the
 * leader removes such a link.
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
    // Each line starts with a newline, so that it is complete even if the line before it was cut off.
    const lines = Buffer.from(suspects.map((suspect) => `\n${JSON.stringify(suspect)}\n`).join(""))
    if (fstatSync(file).size + lines.length <= MAX_BYTES) writeSync(file, lines)
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
  const path = join(folder, NAME)
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return null
  try {
    const isOurs = isPlain(path) && found.size <= MAX_BYTES
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
