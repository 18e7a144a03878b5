import { loadReadLog } from "../../../ask/index.ts"
import { AmanError, LOG_NAMES, logPath, openSystemLibrary } from "../../../base/index.ts"
import { type Command, EXIT, type Input } from "../command.ts"
import { numberFlag } from "../flags.ts"
import type { Colors } from "../output.ts"
import { printableLine } from "../text.ts"

const DEFAULT_LINES = 100

export const logsCommand: Command = {
  usage: "[flags] [LOG]",
  details: `Shows what servers, syncs and hooks did and which errors occurred. Logs never hold file contents or
queries. They are stored in the user's data folder, three files of at most 5 MB each.`,
  verbs: [
    ["server", "MCP servers (default)"],
    ["sync", "Syncs of other repositories"],
    ["hook", "Hooks: what they printed, and how long it took"],
  ],
  flags: [
    { name: "follow", short: "f", help: "Keep running and print new lines" },
    { name: "lines", short: "n", value: "N", help: `Number of lines (default: ${DEFAULT_LINES})` },
  ],
  examples: [
    { line: "aman logs", note: "the latest lines of the servers' log" },
    { line: "aman logs -f -n 10", note: "follow it" },
    { line: "aman logs --json -n 1", note: '{"time","process","level","text"}, one a line' },
  ],
  async run(input) {
    const name = LOG_NAMES.find((each) => each === (input.words[0] ?? "server"))
    if (name === undefined || input.words.length > 1) {
      throw new AmanError("USAGE", `there is no log ${JSON.stringify(input.words.join(" "))}`, {
        hint: `one of ${LOG_NAMES.join(", ")}`,
      })
    }
    const { followLog, lastLogLines } = await loadReadLog()
    const last = lastLogLines(name, numberFlag(input.flags, "lines", 0, 1_000_000) ?? DEFAULT_LINES)
    await printLog(input, last?.lines ?? [])
    if (input.flags.has("follow")) {
      const reader = { isGone: isBrokenPipe, show: (more: readonly string[]) => printLog(input, more) }
      await followLog(name, last?.end, input.signal, reader)
      return EXIT.ok
    }
    if (last !== null) return EXIT.ok
    if (!input.flags.has("quiet"))
      input.output.remark(`nothing has been logged yet: ${printableLine(logPath(name))}\n`)
    return EXIT.nothingFound
  },
}

async function printLog({ flags, output }: Input, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return
  const render = flags.has("json") ? lineAsJson : (line: string) => asText(line, output.colors)
  await output.write(lines.map((line) => `${render(line)}\n`).join(""))
}

function lineAsJson(line: string): string {
  const [time = "", process = "", level = "", ...rest] = line.split(" ")
  return JSON.stringify({ time, process: Number(process), level, text: rest.join(" ") })
}

function asText(line: string, c: Colors): string {
  const text = printableLine(line)
  const [, level] = /^\S+ \d+ (\w+) /.exec(text) ?? []
  if (level === "error") return c.red(text)
  return level === "warn" ? c.yellow(text) : text
}

const SYMBOLS = { poll: { args: ["ptr", "u64", "i32"], returns: "i32" } } as const

// poll.h: struct pollfd { int fd; short events; short revents }. Errors and hang-ups are always reported.
// Descriptor 1 is always open, because Bun replaces a stdout that was closed at the start by /dev/null.
const STANDARD_OUTPUT = 1
const POLLERR = 0x8
const POLLHUP = 0x10

/**
 * True if the reader of stdout has ended (`aman logs -f | head`). While nothing is written there is no error, so this
 * is checked by poll.
 */
function isBrokenPipe(): boolean {
  library ??= openSystemLibrary(SYMBOLS) ?? "none"
  if (library === "none") return false
  const pollfd = new Int32Array([STANDARD_OUTPUT, 0])
  return library.poll(pollfd, 1n, 0) > 0 && ((pollfd[1]! >> 16) & (POLLERR | POLLHUP)) !== 0
}

let library: NonNullable<ReturnType<typeof openSystemLibrary<typeof SYMBOLS>>> | "none" | undefined
