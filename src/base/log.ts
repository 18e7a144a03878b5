import { displayPaths } from "./paths.ts"
import { escapeControls } from "./process/terminal.ts"

export const LOG_LEVELS = ["silent", "error", "warn", "info", "debug"] as const

export type LogLevel = (typeof LOG_LEVELS)[number]
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>
export type LogEvent = { readonly level: Exclude<LogLevel, "silent">; readonly text: string }
/** Receives every event, including those below the level of the log, and decides which of them it writes. */
export type LogSink = (event: LogEvent) => void

export type Log = {
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
export function isWithin(level: LogLevel, limit: LogLevel): boolean {
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
