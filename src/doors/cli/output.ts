import { writeSync } from "node:fs"
import { createInterface } from "node:readline/promises"
import type { styleText } from "node:util"
import {
  AmanError,
  displayPaths,
  type ErrorCode,
  escapeControls,
  isTerminal,
  messageOf,
  systemError,
} from "../../base/index.ts"
import { EXIT } from "./command.ts"
import { printableLine } from "./text.ts"

type Style = "bold" | "dim" | "underline" | "blue" | "cyan" | "gray" | "green" | "magenta" | "red" | "yellow"

/** Functions that add a style to a text; without colours they return it unchanged. */
export type Colors = Readonly<Record<Style, (text: string) => string>> & {
  readonly isColorSupported: boolean
}

/** Output of a command: the result goes to stdout, remarks go to stderr. */
export type CommandOutput = {
  /** Writes the result to stdout; resolves when the system has taken it. */
  write(text: string): Promise<void>
  json(value: unknown): Promise<void>
  /** JSON on one line, for commands that write several. */
  jsonLine(value: unknown): Promise<void>
  /** Writes to stderr: progress, remarks, errors. */
  remark(text: string): void
  /** True if stdout is a terminal. */
  readonly isTerminal: boolean
  readonly isRemarkTerminal: boolean
  /** Width of stdout, in columns. */
  readonly columns: number
  readonly remarkColumns: number
  readonly colors: Colors
  readonly remarkColors: Colors
}

/**
 * Thrown by `write` when the reader has ended (`aman search … | head`). The command then ends without an error
 * message.
 */
export class BrokenPipe extends Error {}

export function standardOutput(): CommandOutput {
  const isShown = isTerminal(1)
  // A dumb terminal cannot redraw a line.
  const isRemarkShown = isTerminal(2) && process.env["TERM"] !== "dumb"
  const write = (text: string) => writeAll(text)
  return {
    write,
    json: (value) => write(jsonText(value, isShown)),
    jsonLine: (value) => write(jsonText(value, isShown, 0)),
    remark: (text) => void ignoringErrors(process.stderr).write(text),
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

/** JSON text: compact for programs; on a terminal indented, with control characters escaped. */
export function jsonText(value: unknown, isTerminal: boolean, indent = 2): string {
  if (!isTerminal) return `${JSON.stringify(value)}\n`
  return `${escapeControls(JSON.stringify(value, null, indent))}\n`
}

/** Loads node:util only for coloured output. Whether a stream is a terminal is decided by the caller. */
export function colorsIf(isWanted: boolean): Colors {
  if (!isWanted) return PLAIN
  const util = require("node:util") as { styleText: typeof styleText }
  const style = (name: Style) => (text: string) => util.styleText(name, text, { validateStream: false })
  return new Proxy({} as Colors, { get: (_, name) => name === "isColorSupported" || style(name as Style) })
}

const PLAIN = new Proxy({} as Colors, { get: (_, name) => name !== "isColorSupported" && String })

/** Adds an error listener; without one, a closed pipe would end the process with a stack trace. */
function ignoringErrors(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  if (stream.listenerCount("error") === 0) stream.on("error", () => {})
  return stream
}

/**
 * Whether output has colours, by the environment: NO_COLOR has priority over variables that force colours
 * (https://no-color.org, https://force-color.org, https://bixense.com/clicolors).
 */
export function wantsColor(env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  if (env["NO_COLOR"]) return false
  const forced = env["FORCE_COLOR"]
  if (forced) return forced !== "0" && forced !== "false"
  if ((env["CLICOLOR_FORCE"] || "0") !== "0") return true
  return isTerminal && env["CLICOLOR"] !== "0" && env["TERM"] !== "dumb"
}

/**
 * Writes text directly if it fits into a pipe, because loading Node's streams takes 3 ms. Longer texts, and the
 * rest after an error or a partial write, go through the stream.
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
    ignoringErrors(process.stdout).write(bytes, (error) => {
      if (!error) resolve()
      else if ("code" in error && error.code === "EPIPE") reject(new BrokenPipe())
      else reject(writeFailure(error))
    })
  })
}

function writeFailure(cause: Error): AmanError {
  return new AmanError("IO", `cannot write the output: ${cause.message}`, {
    hint: "free disk space there, or redirect the output",
    cause,
  })
}

type FailureOptions = { readonly json: boolean; readonly verbose: boolean }

/** Prints the error and returns the exit code. */
export async function reportFailure(
  error: unknown,
  options: FailureOptions,
  output: CommandOutput,
): Promise<number> {
  if (error instanceof BrokenPipe) return EXIT.ok
  const { code, message, hint } = describe(error)
  const remark = () => output.remark(failureText(message, hint, output))
  // If stdout cannot be written, the error goes to stderr.
  if (options.json) await output.json({ error: { code, message, hint } }).catch(remark)
  else remark()
  if (options.verbose && error instanceof Error && error.stack) output.remark(`${withCauses(error)}\n`)
  if (code === "USAGE") return EXIT.usage
  return error instanceof AmanError && error.isUnknownName ? EXIT.nothingFound : EXIT.failure
}

function describe(error: unknown): { code: ErrorCode | "BUG"; message: string; hint: string | null } {
  if (error instanceof AmanError)
    return { code: error.code, message: error.message, hint: error.hint ?? null }
  const translated = systemError(error)
  if (translated !== null) return describe(translated)
  const message = messageOf(error) || String(error)
  return { code: "BUG", message, hint: "this is a bug in aman; --verbose shows where it happened" }
}

function failureText(message: string, hint: string | null, { remarkColors: c }: CommandOutput): string {
  // Line breaks of lists, which are followed by two blanks, are kept. Other line breaks, for example in a file's name,
  // are removed.
  const listed = message.split("\n  ").map(printableLine).join("\n  ")
  const lines = [`${c.red("aman:")} ${listed}`]
  if (hint) lines.push(`${c.cyan("hint:")} ${printableLine(hint)}`)
  return `${lines.join("\n")}\n`
}

function withCauses(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${withCauses(error.cause)}` : ""
  return `${displayPaths(error.stack ?? "")}${cause}`
}

/** Asks a question on the terminal; only "y" and "yes" return true. End of input or Ctrl-C returns false. */
export async function confirm(question: string, signal: AbortSignal): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const closed = new Promise<string>((resolve) => lines.once("close", () => resolve("")))
    const answer = await Promise.race([lines.question(`${question} [y/N] `, { signal }), closed])
    return /^y(?:es)?$/i.test(answer.trim())
  } catch {
    return false
  } finally {
    lines.close()
  }
}
