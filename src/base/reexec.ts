/**
 * How JavaScriptCore is to compile; docs/decisions/0003-jit.md has the measurements. Its top WebAssembly compiler (OMG)
 * blocks a thread for 100 to 450 ms on each of tree-sitter's large functions, which doubles to quadruples the time of a
 * first index, so it is kept to small functions. Its third JavaScript compiler (FTL) is for what runs all the time:
 * each of its compilations takes memory and a processor that a question wants. Options are read at start only, so the
 * process starts itself once more with them: 6 ms.
 */
export const JIT_OPTIONS: Readonly<Record<string, string>> = {
  BUN_JSC_maximumOMGCandidateCost: "2000",
  BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: "500000",
}

/** What ends within seconds does not live to see the gain of compiling JavaScript early; a server's queries do. */
const BRIEF_OPTIONS: typeof JIT_OPTIONS = {
  BUN_JSC_thresholdForJITAfterWarmUp: "3000",
  BUN_JSC_thresholdForOptimizeAfterWarmUp: "15000",
  // Mapped files count as garbage to be: without this any index of 10 MB begins a collection in the middle of a query.
  BUN_JSC_largeHeapSize: String(128 << 20),
  // A thread that parses holds 70 MB of WebAssembly in the engine's count, which would let as much garbage lie beside
  // it.
  BUN_JSC_heapGrowthMaxIncrease: "0.3",
}

/**
 * A server hands what it freed back at once: a tenth of a second later the next question has filled other pages. Of the
 * allocator (mimalloc), which reads it at start, too; git and what else is started from here do not know it.
 */
const LONG_OPTIONS: typeof JIT_OPTIONS = { MIMALLOC_PURGE_DELAY: "0" }

type Execve = (path: string, argv: readonly string[], env: Readonly<Record<string, string>>) => never

/** Replaces this process by itself with those options; returns where that cannot be done. */
export function reexecForParsing(life: "brief" | "long"): void {
  const execve = (process as { execve?: Execve }).execve
  // Windows has no exec; a development run is not the compiled program.
  if (hasJitOptions() || execve === undefined || process.platform === "win32") return
  if (!Bun.main.startsWith("/$bunfs/")) return
  try {
    const more = life === "brief" ? BRIEF_OPTIONS : LONG_OPTIONS
    const env = { ...JIT_OPTIONS, ...more, ...process.env } as Record<string, string>
    execve.call(process, process.execPath, [process.argv0, ...process.argv.slice(2)], env)
  } catch {
    // The slower first index is all that is lost.
  }
}

/** Whether this process was started with them, or with others in their place. */
export function hasJitOptions(): boolean {
  return Object.keys(JIT_OPTIONS).every((name) => process.env[name] !== undefined)
}
