import { writeSync } from "node:fs"
import type picocolors from "picocolors"
import { AmanError } from "../base/errors.ts"
import { isTerminal } from "../base/terminal.ts"

export type Colors = ReturnType<typeof picocolors.createColors>

/** Where a command's result and its side remarks go. */
export type Output = {
  /** The result, to stdout; done when it has been handed to the system. */
  write(text: string): Promise<void>
  json(value: unknown): Promise<void>
  /** To stderr: progress, remarks, errors. */
  remark(text: string): void
  /** Whether a person looks at stdout, and at stderr. */
  readonly isTerminal: boolean
  readonly isRemarkTerminal: boolean
  /** How wide they are. */
  readonly columns: number
  readonly remarkColumns: number
  readonly colors: Colors
  readonly remarkColors: Colors
}

/** Thrown by `write` when the reader has gone (`aman search … | head`): no error, only the end. */
export class ReaderGone extends Error {}

export function standardOutput(): Output {
  const isShown = isTerminal(1)
  // A dumb terminal cannot redraw a line.
  const isRemarkShown = isTerminal(2) && process.env["TERM"] !== "dumb"
  const write = (text: string) => writeAll(text)
  return {
    write,
    json: (value) => write(`${JSON.stringify(value, null, isShown ? 2 : undefined)}\n`),
    remark: (text) => void quiet(process.stderr).write(text),
    isTerminal: isShown,
    isRemarkTerminal: isRemarkShown,
    get columns() {
      return process.stdout.columns || 80
    },
    get remarkColumns() {
      return process.stderr.columns || 80
    },
    colors: colorsIf(wantsColor(process.env, isShown)),
    remarkColors: colorsIf(wantsColor(process.env, isRemarkShown)),
  }
}

/** Loaded only where something is coloured: picocolors opens stdout as it loads, and with it Node's streams. */
function colorsIf(isWanted: boolean): Colors {
  if (!isWanted) return PLAIN
  const { createColors } = require("picocolors") as typeof picocolors
  return createColors(true)
}

const PLAIN = new Proxy({} as Colors, { get: (_, name) => (name === "isColorSupported" ? false : String) })

/** Without a listener the error of a closed pipe would end the process with a stack. */
function quiet(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  if (stream.listenerCount("error") === 0) stream.on("error", () => {})
  return stream
}

/** https://no-color.org, https://force-color.org and https://bixense.com/clicolors: NO_COLOR wins, then what forces. */
export function wantsColor(env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  if (env["NO_COLOR"]) return false
  const forced = env["FORCE_COLOR"]
  if (forced) return forced !== "0" && forced !== "false"
  if ((env["CLICOLOR_FORCE"] || "0") !== "0") return true
  return isTerminal && env["CLICOLOR"] !== "0" && env["TERM"] !== "dumb"
}

/**
 * What fits into a pipe is written at once, as long as nothing else was: Node's streams take 3 ms to load. Whatever is
 * in the way of that is theirs to wait for or to say.
 */
async function writeAll(text: string): Promise<void> {
  const bytes = Buffer.from(text)
  const written = hasStream || bytes.length > PIPE_BYTES || process.platform === "win32" ? 0 : writeNow(bytes)
  if (written === bytes.length) return
  hasStream = true
  await writeToStream(bytes.subarray(written))
}

const PIPE_BYTES = 65_536
let hasStream = false

function writeNow(bytes: Uint8Array): number {
  try {
    return writeSync(1, bytes)
  } catch {
    return 0
  }
}

function writeToStream(bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    quiet(process.stdout).write(bytes, (error) => {
      if (!error) resolve()
      else if ("code" in error && error.code === "EPIPE") reject(new ReaderGone())
      else reject(unwritten(error))
    })
  })
}

function unwritten(cause: Error): AmanError {
  return new AmanError("IO", `the answer cannot be written: ${cause.message}`, {
    hint: "make room there, or send it elsewhere",
    cause,
  })
}
