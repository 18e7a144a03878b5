import {
  closeSync,
  constants,
  fstatSync,
  futimesSync,
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

/**
 * Asks whoever leads this index to look at the project's files soon, and to read these again whatever they look like.
 */
export function want(folder: string, now: Date, suspects: readonly string[] = []): void {
  // Not through a link that a project's history may have put there.
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0)
  const file = openSync(join(folder, NAME), flags, 0o644)
  try {
    const lines = Buffer.from(suspects.map((path) => `${JSON.stringify(path)}\n`).join(""))
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
  if (!isPlain(path)) return null
  try {
    const lines = readFileSync(path, "utf8").split("\n")
    rmSync(path)
    return lines.flatMap(pathIn)
  } catch {
    // Another process has it open, on Windows; or what came with the project is none of ours.
    return null
  }
}

function pathIn(line: string): string[] {
  try {
    const path: unknown = JSON.parse(line)
    return typeof path === "string" ? [path] : []
  } catch {
    return []
  }
}
