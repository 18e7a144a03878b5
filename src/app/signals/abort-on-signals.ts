import { readFileSync } from "node:fs"
import { resetAfterFirst } from "./dispositions.ts"
import { type ShutdownLimits, watchShutdown } from "./watch-shutdown.ts"

const SIGNAL_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const
/** Work still running after this time is ended; an index is safe at any moment. */
const STOP_MS = 2000
const SHUTDOWN_LIMITS: ShutdownLimits = {
  // The main thread ends the process by itself two seconds after a signal, unless it is busy.
  afterSignalMs: 5000,
  // Long, because an answer may be on its way to a pipe that is read later.
  afterInputMs: 30_000,
}

/**
 * An AbortSignal that aborts when the process is asked to end, with the exit code as its reason. For commands
 * that have to clean up: servers, index updaters and commands that run git. All others keep the system's
 * default action, which works even while this thread is busy. Because this thread may be busy, the second
 * signal takes the default action, and a separate thread kills the process if it does not end.
 */
export function abortOnSignals(limits: ShutdownLimits = SHUTDOWN_LIMITS): AbortSignal {
  const controller = new AbortController()
  const names = (Object.keys(SIGNAL_CODES) as (keyof typeof SIGNAL_CODES)[]).filter(
    (name) => name !== "SIGHUP" || endsWithTerminal(),
  )
  for (const name of names) {
    process.on(name, () => {
      const code = SIGNAL_CODES[name]
      if (controller.signal.aborted) process.exit(code)
      controller.abort(code)
      setTimeout(() => process.exit(code), STOP_MS).unref()
    })
  }
  if (resetAfterFirst(names)) watchShutdown(names, limits)
  return controller.signal
}

/**
 * True if the process ends with its terminal, as it does unless `nohup` started it. Its child processes run
 * in sessions of their own and would otherwise continue. False except on Linux, because it cannot be
 * determined there; the default action stays.
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
