import { closeSync, existsSync, openSync, readFileSync, readSync } from "node:fs"
import { fileIdentity } from "../base/file-identity.ts"
import { LOG_FILES, type LogName, logPath } from "../base/log-file.ts"

const POLL_MS = 200

/** The newest lines of a log, oldest first; null where none is kept yet. */
export function lastLogLines(name: LogName, most: number): string[] | null {
  const path = logPath(name)
  if (!existsSync(path)) return null
  let lines: string[] = []
  for (let age = 0; age < LOG_FILES && lines.length < most; age++) {
    const file = age === 0 ? path : `${path}.${age}`
    if (existsSync(file)) lines = [...linesOf(readFileSync(file, "utf8")), ...lines]
  }
  return lines.slice(Math.max(0, lines.length - most))
}

/** Every line that is written from now on, until the signal. Goes on with the next file where one is full. */
export async function followLog(
  name: LogName,
  signal: AbortSignal,
  show: (lines: readonly string[]) => Promise<void>,
): Promise<void> {
  const path = logPath(name)
  let file = { path, identity: fileIdentity(path), offset: existsSync(path) ? readFileSync(path).length : 0 }
  while (!signal.aborted) {
    const identity = fileIdentity(path)
    // What was still added to the full file, under its new name.
    const isFull = identity !== file.identity && fileIdentity(`${path}.1`) === file.identity
    const { text, end } = readFrom(
      isFull ? `${path}.1` : path,
      identity === file.identity || isFull ? file.offset : 0,
    )
    if (text !== "") await show(linesOf(text))
    file =
      identity === file.identity ? { ...file, offset: end } : { path, identity, offset: isFull ? 0 : end }
    await sleep(POLL_MS, signal)
  }
}

/** Whole lines only: the rest of one that is being written comes with the next look. */
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

function linesOf(text: string): string[] {
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
