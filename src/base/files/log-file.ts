import { lstatSync, renameSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { isWithin, type LogSink, log } from "../log.ts"
import { userDataDir } from "../paths.ts"
import { appendPrivate } from "./create-file.ts"
import { OpenFolder } from "./open-folder.ts"

export const LOG_NAMES = ["server", "sync", "hook"] as const
export type LogName = (typeof LOG_NAMES)[number]

export const LOG_FILE_BYTES = 5_000_000
/** Number of log files: the current one and the rotated ones. */
export const LOG_FILES = 3

export function logPath(name: LogName): string {
  return join(userDataDir(), "logs", `${name}.log`)
}

/**
 * Creates a sink that appends to a log file, with lines such as `2026-01-02T03:04:05.678Z 1234 info indexed …`, and
 * starts a new file when it is full. Each line is written by one call, so that several processes may share the file.
 * The file contains events of level info and above even if stderr shows fewer; with level debug, it contains those,
 * too.
 */
export function logToFile(path: string, now: () => Date = () => new Date()): LogSink {
  let isBroken = false
  return ({ level, text }) => {
    if (isBroken || !(isWithin(level, "info") || isWithin(level, log.level))) return
    try {
      append(path, `${now().toISOString()} ${process.pid} ${level} ${text}\n`)
    } catch (error) {
      isBroken = true
      log.warn("no log file is written", { message: error instanceof Error ? error.message : String(error) })
    }
  }
}

function append(file: string, line: string): void {
  using folder = OpenFolder.open(dirname(file), { make: 0o700 })
  const path = join(folder.at, basename(file))
  const size = lstatSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size + line.length > LOG_FILE_BYTES) rotate(path)
  appendPrivate(path, line)
}

function rotate(path: string): void {
  for (let age = LOG_FILES - 1; age > 0; age--) {
    const younger = age === 1 ? path : `${path}.${age - 1}`
    if (lstatSync(younger, { throwIfNoEntry: false })) renameSync(younger, `${path}.${age}`)
  }
}
