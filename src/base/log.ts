import { lstatSync, renameSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { appendPrivate } from "./files/files.ts"
import { OpenFolder } from "./files/open-folder.ts"
import { displayPaths, userDataDir } from "./paths.ts"
import { escapeControls } from "./process/terminal.ts"

export const LOG_LEVELS = ["silent", "error", "warn", "info", "debug"] as const

export type LogLevel = (typeof LOG_LEVELS)[number]
type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>
export type LogEvent = { readonly level: Exclude<LogLevel, "silent">; readonly text: string }
/** Receives every event, including those below the level of the log, and decides which of them it writes. */
type LogSink = (event: LogEvent) => void

type Log = {
  level: LogLevel
  /** False when nothing may be printed to stderr, whatever level the user has set. */
  isPrinted: boolean
  /** True to print each event as a JSON object with `time`, `level`, `event` and the fields. */
  isJson: boolean
  /** Destinations in addition to stderr, such as a file or a client. */
  readonly sinks: Set<LogSink>
  error(event: string, fields?: LogFields): void
  warn(event: string, fields?: LogFields): void
  info(event: string, fields?: LogFields): void
  debug(event: string, fields?: LogFields): void
}

/**
 * Creates a log that writes one line per event, such as `info indexed files=12 ms=34`. Line breaks in values are
 * escaped. Fields contain counts, times, paths and messages, but never the content of a file or a query.
 */
export function createLog(level: LogLevel, write: (line: string) => void): Log {
  const at =
    (eventLevel: LogEvent["level"]) =>
    (event: string, fields: LogFields = {}) => {
      const isShown = log.isPrinted && isWithin(eventLevel, log.level)
      if (!isShown && log.sinks.size === 0) return
      const text = formatEvent(event, fields)
      if (isShown) write(log.isJson ? jsonLine(eventLevel, event, fields) : `${eventLevel} ${text}\n`)
      for (const sink of log.sinks) sink({ level: eventLevel, text })
    }
  const log: Log = {
    level,
    isPrinted: true,
    isJson: false,
    sinks: new Set(),
    error: at("error"),
    warn: at("warn"),
    info: at("info"),
    debug: at("debug"),
  }
  return log
}

/** True when a log with the level `limit` contains events of the level `level`. */
function isWithin(level: LogLevel, limit: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) <= LOG_LEVELS.indexOf(limit)
}

function formatEvent(event: string, fields: LogFields): string {
  let line = event.replace(/\s+/g, " ")
  for (const [key, value] of Object.entries(fields)) {
    if (value !== undefined) line += ` ${key}=${formatValue(value)}`
  }
  // A file name, or a message of another program, may contain control characters.
  return escapeControls(line.replace(/\p{Cc}/gu, (sign) => JSON.stringify(sign).slice(1, -1)))
}

/** Returns a function that tells whether a line of a log has the field `name` with this value. */
export function hasField(name: string, value: string): (line: string) => boolean {
  const field = ` ${name}=${formatValue(value)}`
  return (line) => `${line} `.includes(`${field} `)
}

function jsonLine(level: LogEvent["level"], event: string, fields: LogFields): string {
  return `${JSON.stringify({ time: new Date().toISOString(), level, event, ...fields })}\n`
}

function formatValue(value: string | number | boolean | null): string {
  if (typeof value !== "string") return String(value)
  const text = displayPaths(value)
  return /^[^\s"=\\\p{Cc}]+$/u.test(text) ? text : JSON.stringify(text)
}

/** The log of the process. It writes only to stderr, because stdout belongs to the protocol. */
export const log: Log = createLog("warn", (line) => {
  process.stderr.write(line)
})

/** Milliseconds since `started` (a value of `performance.now()`), rounded to two decimal places. */
export function elapsedMs(started: number): number {
  return Math.round((performance.now() - started) * 100) / 100
}

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

/** Time in ms for each phase of a piece of work. */
export type PhaseTimes = Readonly<Record<string, number>>

let phase: string | null = null
let since = 0
let spent: Record<string, number> = {}

/**
 * Ends the current phase of this thread and begins another; null begins none. Returns the phase that ended, so that the
 * caller can return to it. Takes some 0.1 µs.
 */
export function enterPhase(next: string | null): string | null {
  const now = performance.now()
  const ended = phase
  if (ended !== null) spent[ended] = (spent[ended] ?? 0) + now - since
  phase = next
  since = now
  return ended
}

/** Runs `work` as a part of its own of the current phase. Its time is not measured outside of any phase. */
export function inPhase<T>(name: string, work: () => T): T {
  if (phase === null) return work()
  const outer = enterPhase(name)
  try {
    return work()
  } finally {
    enterPhase(outer)
  }
}

/** The times of the phases of this thread since the last call; ends the current phase. */
export function takePhaseTimes(): PhaseTimes {
  enterPhase(null)
  const times = spent
  spent = {}
  return times
}
