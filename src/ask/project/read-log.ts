import { closeSync, existsSync, openSync, readSync } from "node:fs"
import { fileIdentity, LOG_FILES, type LogName, logPath } from "../../base/index.ts"

const POLL_MS = 200

/** Position in a log file up to which it was read. */
type Position = { readonly identity: string; readonly offset: number }

export type LogLines = { readonly lines: readonly string[]; readonly end: Position }

/** The newest `maxLines` lines of a log for which `accepts` is true, oldest first; null if there is no log yet. */
export function lastLogLines(
  name: LogName,
  maxLines: number,
  accepts: (line: string) => boolean = () => true,
): LogLines | null {
  const path = logPath(name)
  const identity = fileIdentity(path)
  if (identity === "") return null
  const { text, end } = readFrom(path, 0)
  let lines = nonEmptyLines(text).filter(accepts)
  for (let age = 1; age < LOG_FILES && lines.length < maxLines; age++) {
    lines = [...nonEmptyLines(readFrom(`${path}.${age}`, 0).text).filter(accepts), ...lines]
  }
  return { lines: lines.slice(Math.max(0, lines.length - maxLines)), end: { identity, offset: end } }
}

/**
 * Passes on every line written after `since`, until the signal aborts or the reader is gone. Continues in the
 * next file when one is full.
 */
export async function followLog(
  name: LogName,
  since: Position | undefined,
  signal: AbortSignal,
  reader: { readonly isGone: () => boolean; readonly show: (lines: readonly string[]) => Promise<void> },
): Promise<void> {
  const path = logPath(name)
  let at = since ?? { identity: "", offset: 0 }
  while (!signal.aborted && !reader.isGone()) {
    const identity = fileIdentity(path)
    // Reads the lines that were added to the full file before it was renamed and a new file began.
    if (identity !== at.identity && fileIdentity(`${path}.1`) === at.identity && at.identity !== "") {
      await reader.show(nonEmptyLines(readFrom(`${path}.1`, at.offset).text))
    }
    const { text, end } = readFrom(path, identity === at.identity ? at.offset : 0)
    await reader.show(nonEmptyLines(text))
    at = { identity, offset: end }
    await sleep(POLL_MS, signal)
  }
}

/** Returns complete lines only. An unfinished last line is returned by the next read, when it is complete. */
function readFrom(path: string, offset: number): { text: string; end: number } {
  if (!existsSync(path)) return { text: "", end: 0 }
  const file = openSync(path, "r")
  try {
    const parts: Buffer[] = []
    let end = offset
    for (;;) {
      const buffer = Buffer.alloc(64 * 1024)
      const length = readSync(file, buffer, 0, buffer.length, end)
      if (length === 0) break
      parts.push(buffer.subarray(0, length))
      end += length
    }
    const bytes = Buffer.concat(parts)
    const whole = bytes.lastIndexOf(10) + 1
    return { text: bytes.toString("utf8", 0, whole), end: offset + whole }
  } finally {
    closeSync(file)
  }
}

function nonEmptyLines(text: string): string[] {
  return text.split("\n").filter((line) => line !== "")
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener("abort", done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener("abort", done)
  })
}
