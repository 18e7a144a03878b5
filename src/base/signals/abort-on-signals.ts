import { readFileSync } from "node:fs"
import { resetAfterFirst } from "./dispositions.ts"
import { type ShutdownLimits, watchShutdown } from "./watch-shutdown.ts"

const SIGNAL_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const
/** Times after a signal at which a command that is still running is ended. This cannot damage an index. */
export type StopLimits = ShutdownLimits & { readonly stopMs?: number }

const USUAL: StopLimits = {
  // Time after a signal at which the thread kills the process. The main thread ends the process after two seconds,
  // unless it is busy.
  afterSignalMs: 5000,
  // Time after the end of the input at which the thread kills the process. It is long, because an answer may still be
  // waiting in a pipe that is read later.
  afterInputMs: 30_000,
}

/** Limits for a server that finishes answers after a signal, and before that waits until no new requests come. */
export const DRAINING: StopLimits = { stopMs: 95_000, afterSignalMs: 100_000, afterInputMs: 30_000 }

/**
 * An AbortSignal that aborts when the process is asked to end, with the exit code as its reason. For commands
 * that have to clean up: servers, index updaters and commands that run git. All others keep the system's
 * default action, which works even while this thread is busy. Because this thread may be busy, the second
 * signal takes the default action, and a separate thread kills the process if it does not end.
 */
export function abortOnSignals(limits: StopLimits = USUAL): AbortSignal {
  const controller = new AbortController()
  const names = (Object.keys(SIGNAL_CODES) as (keyof typeof SIGNAL_CODES)[]).filter(
    (name) => name !== "SIGHUP" || endsWithTerminal(),
  )
  for (const name of names) {
    process.on(name, () => {
      const code = SIGNAL_CODES[name]
      if (controller.signal.aborted) process.exit(code)
      controller.abort(code)
      setTimeout(() => process.exit(code), limits.stopMs ?? 2000).unref()
    })
  }
  if (resetAfterFirst(names)) watchShutdown(names, limits)
  return controller.signal
}

/**
 * True if the process ends when its terminal closes, unless `nohup` started it. Its child processes run in sessions of
 * their own and would otherwise continue. False except on Linux, because it cannot be determined elsewhere; the default
 * action then stays.
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
