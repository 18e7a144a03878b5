import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { isWithin, type LogSink, log } from "./log.ts"
import { userDataDir } from "./paths.ts"

export const LOG_NAMES = ["server", "sync", "hook"] as const
export type LogName = (typeof LOG_NAMES)[number]

export const LOG_FILE_BYTES = 5_000_000
/** The one being written, and those before it. */
export const LOG_FILES = 3

export function logPath(name: LogName): string {
  return join(userDataDir(), "logs", `${name}.log`)
}

/**
 * A sink that appends to a file, `2026-01-02T03:04:05.678Z 1234 info indexed …`, and begins a new one where it has
 * grown. Each line is one append, so that several processes may share the file. Keeps info at least.
 */
export function logToFile(path: string, now: () => Date = () => new Date()): LogSink {
  let isBroken = false
  return ({ level, text }) => {
    if (isBroken || !(isWithin(level, "info") || isWithin(level, log.level))) return
    try {
      append(path, `${now().toISOString()} ${process.pid} ${level} ${text}\n`)
    } catch (error) {
      isBroken = true
      log.warn("no log file is kept", { message: error instanceof Error ? error.message : String(error) })
    }
  }
}

function append(path: string, line: string): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size
  if (size === undefined) mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  else if (size + line.length > LOG_FILE_BYTES) rotate(path)
  appendFileSync(path, line, { mode: 0o600 })
}

function rotate(path: string): void {
  for (let age = LOG_FILES - 1; age > 0; age--) {
    const younger = age === 1 ? path : `${path}.${age - 1}`
    if (statSync(younger, { throwIfNoEntry: false })) renameSync(younger, `${path}.${age}`)
  }
}
