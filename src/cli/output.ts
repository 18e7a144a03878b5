import picocolors from "picocolors"

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
  const { stdout, stderr } = process
  // Without a listener the error of a closed pipe would end the process with a stack.
  stdout.on("error", () => {})
  stderr.on("error", () => {})
  const isTerminal = stdout.isTTY === true
  // A dumb terminal cannot redraw a line.
  const isRemarkTerminal = stderr.isTTY === true && process.env["TERM"] !== "dumb"
  const write = (text: string) => writeAll(stdout, text)
  return {
    write,
    json: (value) => write(`${JSON.stringify(value, null, isTerminal ? 2 : undefined)}\n`),
    remark: (text) => void stderr.write(text),
    isTerminal,
    isRemarkTerminal,
    get columns() {
      return stdout.columns || 80
    },
    get remarkColumns() {
      return stderr.columns || 80
    },
    colors: picocolors.createColors(wantsColor(process.env, isTerminal)),
    remarkColors: picocolors.createColors(wantsColor(process.env, isRemarkTerminal)),
  }
}

/** https://no-color.org and https://force-color.org: set and not empty; NO_COLOR wins. */
export function wantsColor(env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  if (env["NO_COLOR"]) return false
  const forced = env["FORCE_COLOR"]
  if (forced) return forced !== "0" && forced !== "false"
  return isTerminal && env["TERM"] !== "dumb"
}

function writeAll(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      if (!error) resolve()
      else if ("code" in error && error.code === "EPIPE") reject(new ReaderGone())
      else reject(error)
    })
  })
}
