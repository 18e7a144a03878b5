import { hasJitOptions, JIT_OPTIONS } from "../../../src/base/process/reexec.ts"

/**
 * Runs this script once more with the compiler options of the compiled program, and returns the exit code; null
 * if the options are set already. Needed for measurements in this process, because options are read only when a
 * process starts.
 */
export function rerunWithJitOptions(): number | null {
  if (hasJitOptions()) return null
  const { exitCode } = Bun.spawnSync([process.execPath, ...process.argv.slice(1)], {
    env: { ...process.env, ...JIT_OPTIONS },
    stdin: "inherit",
    stdout: "inherit",
    stderr: "inherit",
  })
  return exitCode
}
