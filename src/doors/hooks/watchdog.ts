import { openSystemLibrary } from "../../base/index.ts"

/** Timer of the C library that ends this process with exit code 0. */
export type Watchdog = {
  /**
   * True if a later call of `endAfter` replaces the time of an earlier call; false if the earliest time stays in
   * force.
   */
  readonly isMovable: boolean
  readonly endAfter: (ms: number) => void
}

/**
 * A timer that calls the C library's `_exit` from another thread, so that the process ends whatever its main
 * thread computes or waits for. Starting it takes 1 to 2 ms; a Worker would add more than 10 ms to every hook.
 * Null on Windows, and if the C library cannot be called: the deadline then holds between steps only.
 */
export function startWatchdog(): Watchdog | null {
  if (process.platform === "linux") return linuxTimer()
  return process.platform === "darwin" ? darwinTimer() : null
}

const DLSYM = { args: ["i64", "ptr"], returns: "u64" } as const
const EXIT = Buffer.from("_exit\0")

// From <dlfcn.h>, <time.h> and <signal.h>: the same for glibc and musl on all 64-bit systems.
const LINUX_RTLD_DEFAULT = 0n
const CLOCK_MONOTONIC = 1
const SIGEV_THREAD = 2
/** `struct sigevent`: size and offsets in bytes. Its first member, 0, is the function's argument. */
const EVENT = { size: 64, notifyAt: 12, functionAt: 16 } as const

const TIMERS = {
  timer_create: { args: ["i32", "ptr", "ptr"], returns: "i32" },
  timer_settime: { args: ["u64", "i32", "ptr", "ptr"], returns: "i32" },
} as const

/** musl and glibc from 2.34 on have all functions in one library; older glibc has two more. */
function linuxLibrary() {
  return openSystemLibrary({ dlsym: DLSYM, ...TIMERS }) ?? olderGlibc()
}

export function olderGlibc() {
  const timers = openSystemLibrary(TIMERS, ["librt.so.1"])
  const loader = openSystemLibrary({ dlsym: DLSYM }, ["libdl.so.2"])
  return timers === null || loader === null ? null : { ...timers, ...loader }
}

/** `library` is a parameter so that a test can pass another one. */
export function linuxTimer(library = linuxLibrary()): Watchdog | null {
  const exit = library?.dlsym(LINUX_RTLD_DEFAULT, EXIT) ?? 0n
  if (library === null || exit === 0n) return null
  const event = new DataView(new ArrayBuffer(EVENT.size))
  event.setInt32(EVENT.notifyAt, SIGEV_THREAD, true)
  event.setBigUint64(EVENT.functionAt, exit, true)
  const timer = new BigUint64Array(1)
  if (library.timer_create(CLOCK_MONOTONIC, new Uint8Array(event.buffer), timer) !== 0) return null
  const endAfter = (ms: number) => {
    const ns = nanoseconds(ms)
    // `struct itimerspec`: interval, then delay, each in seconds and nanoseconds.
    const times = new BigInt64Array([0n, 0n, ns / SECOND, ns % SECOND])
    library.timer_settime(timer[0]!, 0, times, null)
  }
  return { isMovable: true, endAfter }
}

// From <dlfcn.h> and <dispatch/dispatch.h>.
const DARWIN_RTLD_DEFAULT = -2n
const DISPATCH_TIME_NOW = 0n
const DEFAULT_PRIORITY = 0n
const NO_FLAGS = 0n
const NO_CONTEXT = 0n

function darwinTimer(): Watchdog | null {
  const library = openSystemLibrary({
    dlsym: DLSYM,
    dispatch_time: { args: ["u64", "i64"], returns: "u64" },
    dispatch_get_global_queue: { args: ["i64", "u64"], returns: "u64" },
    dispatch_after_f: { args: ["u64", "u64", "u64", "u64"], returns: "void" },
  })
  const exit = library?.dlsym(DARWIN_RTLD_DEFAULT, EXIT) ?? 0n
  if (library === null || exit === 0n) return null
  const endAfter = (ms: number) => {
    const when = library.dispatch_time(DISPATCH_TIME_NOW, nanoseconds(ms))
    const queue = library.dispatch_get_global_queue(DEFAULT_PRIORITY, NO_FLAGS)
    library.dispatch_after_f(when, queue, NO_CONTEXT, exit)
  }
  return { isMovable: false, endAfter }
}

const SECOND = 1_000_000_000n

/** At least 1 ms, because a delay of 0 switches a timer off. */
function nanoseconds(ms: number): bigint {
  return BigInt(Math.max(1, Math.ceil(ms))) * 1_000_000n
}
