export const LOG_LEVELS = ["silent", "error", "warn", "info", "debug"] as const

export type LogLevel = (typeof LOG_LEVELS)[number]
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>

export type Log = {
  level: LogLevel
  error(event: string, fields?: LogFields): void
  warn(event: string, fields?: LogFields): void
  info(event: string, fields?: LogFields): void
  debug(event: string, fields?: LogFields): void
}

/** One line per event, `info indexed files=12 ms=34`; a line never holds a line break of its values. */
export function createLog(level: LogLevel, write: (line: string) => void): Log {
  const at =
    (wanted: LogLevel) =>
    (event: string, fields: LogFields = {}) => {
      if (LOG_LEVELS.indexOf(wanted) <= LOG_LEVELS.indexOf(log.level))
        write(formatLine(wanted, event, fields))
    }
  const log: Log = { level, error: at("error"), warn: at("warn"), info: at("info"), debug: at("debug") }
  return log
}

/** What the flags and AMAN_LOG ask for; --quiet wins over everything, an unknown level counts as none. */
export function chooseLogLevel(choice: {
  quiet?: boolean
  verbose?: boolean
  env?: string | undefined
}): LogLevel {
  if (choice.quiet) return "silent"
  if (choice.verbose) return "debug"
  return LOG_LEVELS.find((level) => level === choice.env?.toLowerCase()) ?? "warn"
}

function formatLine(level: LogLevel, event: string, fields: LogFields): string {
  let line = `${level} ${event.replace(/\s+/g, " ")}`
  for (const [key, value] of Object.entries(fields)) {
    if (value !== undefined) line += ` ${key}=${formatValue(value)}`
  }
  return `${line}\n`
}

function formatValue(value: string | number | boolean | null): string {
  if (typeof value !== "string") return String(value)
  return /^[^\s"=\\\p{Cc}]+$/u.test(value) ? value : JSON.stringify(value)
}

/** The process's log. stdout is the protocol, so it only ever writes to stderr. */
export const log: Log = createLog(chooseLogLevel({ env: process.env["AMAN_LOG"] }), (line) => {
  process.stderr.write(line)
})
