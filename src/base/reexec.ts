/**
 * JavaScriptCore's top WebAssembly compiler (OMG) blocks a thread for 100 to 450 ms on each of tree-sitter's large
 * functions, which doubles to quadruples the time of a first index (docs/decisions/0003-jit.md). It can be kept to
 * small functions only by an option that is read at start, so the process starts itself once more with it: 6 ms.
 */
export const JIT_OPTION = "BUN_JSC_maximumOMGCandidateCost"
export const JIT_VALUE = "2000"

type Execve = (path: string, argv: readonly string[], env: Readonly<Record<string, string>>) => never

/** Replaces this process by itself with a faster start of WebAssembly; returns where that cannot be done. */
export function reexecForParsing(): void {
  const execve = (process as { execve?: Execve }).execve
  // Windows has no exec; a development run is not the compiled program.
  if (process.env[JIT_OPTION] !== undefined || execve === undefined || process.platform === "win32") return
  if (!Bun.main.startsWith("/$bunfs/")) return
  try {
    const env = { ...process.env, [JIT_OPTION]: JIT_VALUE } as Record<string, string>
    execve.call(process, process.execPath, [process.argv0, ...process.argv.slice(2)], env)
  } catch {
    // The slower first index is all that is lost.
  }
}
