import { LOG_LEVELS } from "../../base/log.ts"
import type { Flag } from "../command.ts"

/** Flags of every command. */
export const COMMON_FLAGS: readonly Flag[] = [
  { name: "root", value: "DIR", help: "Root of the project (default: found from the working directory)" },
  { name: "json", help: 'Print JSON; errors as {"error":{"code","message","hint"}}' },
  { name: "quiet", short: "q", help: "Print only the result" },
  { name: "verbose", help: "Log to stderr, and show stack traces of errors" },
  {
    name: "log-level",
    value: "LEVEL",
    choices: LOG_LEVELS,
    help: "silent, error, warn, info or debug (default: warn)",
  },
  { name: "help", short: "h", help: "Show this help" },
]

/**
 * The arguments with the command first: flags of every command may stand before it, so `aman --root DIR search` is
 * `aman search --root DIR`.
 */
export function commandFirst(argv: readonly string[]): readonly string[] {
  let at = 0
  while (argv[at]?.startsWith("--")) {
    const [typed] = argv[at]!.slice(2).split("=", 1)
    const flag = COMMON_FLAGS.find(({ name }) => name === typed && name !== "help")
    if (flag === undefined) break
    at += flag.value === undefined || argv[at]!.includes("=") ? 1 : 2
  }
  return at >= argv.length ? argv : [argv[at]!, ...argv.slice(0, at), ...argv.slice(at + 1)]
}
