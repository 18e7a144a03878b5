import { readFileSync, writeSync } from "node:fs"
import { reexecForParsing } from "./base/reexec.ts"
import { isTerminal } from "./base/terminal.ts"
import { commit, version } from "./base/version.ts"
import { PARSING } from "./cli/parsing-commands.ts"

// A second Ctrl-C, or work that does not stop within this time, ends the process at once;
// the index is safe at any moment.
const STOP_MS = 2000
const SIGNAL_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

process.exit(await main(process.argv.slice(2)))

/** The version alone is asked for by installers and shells' prompts, so it loads nothing else. */
async function main(argv: readonly string[]): Promise<number> {
  const [only] = argv
  const isVersion = argv.length === 1 && (only === "version" || only === "--version" || only === "-v")
  if (isVersion && isWritten(`aman ${version} (${commit})\n`)) return 0
  if (only === "hook" && !isForPeople(argv)) {
    const { runHook } = await import("./hooks/run-hook.ts")
    await runHook(argv.slice(1))
    return 0
  }
  if (PARSING.has(only ?? "") && !argv.some(isOpenFile)) reexecForParsing(only === "serve" ? "long" : "brief")
  const signal = isOneTransaction(argv) ? new AbortController().signal : abortOnSignals()
  const { run } = await import("./cli/run.ts")
  return run(isVersion ? ["version"] : argv, signal, {
    serve: async (options, http, ending) => {
      if (http === null) {
        const { serveStdio } = await import("./mcp/serve-stdio.ts")
        await serveStdio(options, ending)
      } else {
        const { serveHttp } = await import("./mcp/serve-http.ts")
        await serveHttp(options, http, ending)
      }
    },
    tryHooks: async (asked) => {
      const { tryHooks } = await import("./hooks/try-hooks.ts")
      return tryHooks(asked)
    },
  })
}

/** What a shell opened for this process, <(…), would be closed in the one that takes its place. */
function isOpenFile(word: string): boolean {
  return word.includes("/dev/fd/")
}

/** False where something is in the way of it: to wait for that, or to say it, takes more than is loaded. */
function isWritten(line: string): boolean {
  try {
    return writeSync(1, line) > 0
  } catch {
    return false
  }
}

/** An agent's call of a hook comes with its JSON, and neither asks for help nor tries what would be said. */
function isForPeople(argv: readonly string[]): boolean {
  return argv.some((word) => word === "--help" || word === "-h" || word === "--test") || isTerminal(0)
}

/**
 * What takes many memories in holds the thread until all are written, and hears nothing meanwhile: the system ends it,
 * and none is stored.
 */
function isOneTransaction([command, ...words]: readonly string[]): boolean {
  if (command === "memory") return words.includes("import")
  return command === "remember" && words.some((word) => /^(?:-b|--batch)/.test(word))
}

/** The signal's reason is the exit code of a run that it ended. */
function abortOnSignals(): AbortSignal {
  const controller = new AbortController()
  for (const [name, code] of Object.entries(SIGNAL_CODES)) {
    if (name === "SIGHUP" && !endsWithTerminal()) continue
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(code)
      controller.abort(code)
      setTimeout(() => process.exit(code), STOP_MS).unref()
    })
  }
  return controller.signal
}

/**
 * Whether the end of the terminal is the end of this process, as it is unless `nohup` started it. What it started runs
 * in sessions of its own and would go on. Elsewhere than here nothing tells, and the system ends this process alone.
 */
function endsWithTerminal(): boolean {
  if (process.platform !== "linux") return false
  try {
    const ignored = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8"))
    return ignored !== null && (BigInt(`0x${ignored[1]}`) & 1n) === 0n
  } catch {
    return false
  }
}
