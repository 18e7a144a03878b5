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
import { isPlain } from "../base/file-identity.ts"

// A file that is there once somebody has asked the leader to look: processes on one index share nothing else. A line
// of it is the path of a file, in JSON, that is to be read whatever its size and time say.
const NAME = "wanted"
/** Not a file more than a leader reads at once; who asked is answered by its next look. */
const MOST_BYTES = 64 << 10

/** Through no link, and waiting for nobody at the other end of a pipe; Windows has neither flag. */
const AS_IT_LIES = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
const READ_AS_IT_LIES = constants.O_RDONLY | AS_IT_LIES

/**
 * Asks whoever leads this index to look at the project's files soon, and to read these again whatever they look like.
 * What a project's history may have put in that place is not written to: the leader takes it away.
 */
export function want(folder: string, now: Date, suspects: readonly string[] = []): void {
  const path = join(folder, NAME)
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined && !isPlain(path)) return
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | AS_IT_LIES, 0o644)
  try {
    // A line of its own, even behind one that was cut.
    const lines = Buffer.from(suspects.map((suspect) => `\n${JSON.stringify(suspect)}\n`).join(""))
    if (fstatSync(file).size + lines.length <= MOST_BYTES) writeSync(file, lines)
    futimesSync(file, now, now)
  } finally {
    closeSync(file)
  }
}

/**
 * What was asked for since this was last called, for the leader alone: paths that look as they did; null where nobody
 * asked. What is asked at the same moment may be lost, and is asked again by the next question that comes upon it.
 */
export function takeWanted(folder: string): string[] | null {
  const path = join(folder, NAME)
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return null
  try {
    const isOurs = isPlain(path) && found.size <= MOST_BYTES
    const lines = isOurs ? readFileSync(path, { encoding: "utf8", flag: READ_AS_IT_LIES }).split("\n") : []
    rmSync(path, { recursive: true, force: true })
    return lines.flatMap(pathIn)
  } catch {
    // Another process has it open, on Windows.
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
