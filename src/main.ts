import { writeSync } from "node:fs"
import { reexecForParsing } from "./base/reexec.ts"
import { isTerminal } from "./base/terminal.ts"
import { commit, version } from "./base/version.ts"
import { PARSING } from "./cli/parsing-commands.ts"

// A second Ctrl-C, or work that does not stop within this time, ends the process at once;
// the index is safe at any moment.
const STOP_MS = 2000
const SIGNAL_CODES = { SIGINT: 130, SIGTERM: 143 } as const

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
  if (PARSING.has(only ?? "")) reexecForParsing(only === "serve" ? "long" : "brief")
  const signal = abortOnSignals()
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

/** The signal's reason is the exit code of a run that it ended. */
function abortOnSignals(): AbortSignal {
  const controller = new AbortController()
  for (const [name, code] of Object.entries(SIGNAL_CODES)) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(code)
      controller.abort(code)
      setTimeout(() => process.exit(code), STOP_MS).unref()
    })
  }
  return controller.signal
}
