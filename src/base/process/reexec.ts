/**
 * Options for the compilers of JavaScriptCore; docs/decisions/11-speed.md has the measurements. Its top WebAssembly
 * compiler (OMG) blocks a thread for 100 to 450 ms on each of tree-sitter's large functions, which doubles to
 * quadruples the time of a first index, so it is limited to small functions. Its third JavaScript compiler (FTL) takes
 * memory and processor time from queries for each compilation, so it is limited to code that runs all the time. Options
 * are read only when a process starts, so the process restarts itself with them, which takes 6 ms.
 */
export const JIT_OPTIONS: Readonly<Record<string, string>> = {
  BUN_JSC_maximumOMGCandidateCost: "2000",
  BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: "500000",
}

/**
 * Additional options for processes that end within seconds. Unlike a server, they gain nothing from compiling
 * JavaScript early.
 */
const BRIEF_OPTIONS: typeof JIT_OPTIONS = {
  BUN_JSC_thresholdForJITAfterWarmUp: "3000",
  BUN_JSC_thresholdForOptimizeAfterWarmUp: "15000",
  // Mapped files count as allocated memory. Without this option, an index of 10 MB triggers a garbage collection during
  // a query.
  BUN_JSC_largeHeapSize: String(128 << 20),
  // The heap may grow by 30 % between two collections instead of 100 %. The engine counts the 70 MB of a parsing
  // thread's WebAssembly memory as heap, and would allow the same amount of garbage in addition.
  BUN_JSC_heapGrowthMaxIncrease: "0.3",
}

/**
 * A server returns freed memory to the system at once. By default it does so a tenth of a second later, when the next
 * query has already filled other pages. This is an option of the allocator (mimalloc), which is also read only at the
 * start. Git and other child processes ignore it.
 */
const LONG_OPTIONS: typeof JIT_OPTIONS = { MIMALLOC_PURGE_DELAY: "0" }

/**
 * True if the runtime (Bun) would report a crash of this process to Bun's developers: by default on macOS and Windows;
 * elsewhere only if environment variables request it.
 */
export function mayReportCrashes(env = process.env, platform = process.platform): boolean {
  const { BUN_ENABLE_CRASH_REPORTING: isOn, BUN_CRASH_REPORT_URL: address } = env
  return address !== undefined || (platform === "linux" ? (isOn ?? "0") : isOn) !== "0"
}

/**
 * A team's query node answers questions without a pause, so that FTL, at the engine's threshold, saves more than it costs:
 * docs/decisions/11-speed.md.
 */
const NODE_OPTIONS: typeof JIT_OPTIONS = { BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: "64000" }

const OPTIONS = { brief: BRIEF_OPTIONS, long: LONG_OPTIONS, node: NODE_OPTIONS } as const

/** The environment for a query node that a process with the options of short runs starts. */
export function nodeEnvironment(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  const kept = Object.entries(env).filter(([name]) => !(name in BRIEF_OPTIONS))
  return { ...Object.fromEntries(kept), ...(hasJitOptions() ? NODE_OPTIONS : {}) }
}

type Execve = (path: string, argv: readonly string[], env: Readonly<Record<string, string>>) => never

/**
 * Starts this program again in the same process, with JIT options that suit parsing. `life` says how long it will run.
 * Returns if that is not possible.
 */
export function reexecForParsing(life: keyof typeof OPTIONS): void {
  const execve = (process as { execve?: Execve }).execve
  // Windows has no exec. A development run is not the compiled program, so it is not restarted either.
  if (hasJitOptions() || execve === undefined || process.platform === "win32") return
  if (!isCompiled()) return
  try {
    const { BUN_CRASH_REPORT_URL: _, ...userEnv } = process.env as Record<string, string>
    // The last variable turns off crash reports; see mayReportCrashes.
    const env = { ...JIT_OPTIONS, ...OPTIONS[life], ...userEnv, BUN_ENABLE_CRASH_REPORTING: "0" }
    execve.call(process, process.execPath, [process.argv0, ...process.argv.slice(2)], env)
  } catch {
    // The program continues without the options; only a first index is slower.
  }
}

/** True when all JIT_OPTIONS are set in the environment, whatever their values are. */
export function hasJitOptions(): boolean {
  return Object.keys(JIT_OPTIONS).every((name) => process.env[name] !== undefined)
}

/** False in a development run, whose executable is the runtime. */
export function isCompiled(): boolean {
  return /^(?:\/\$bunfs\/|[A-Z]:[\\/]~BUN)/.test(Bun.main)
}
