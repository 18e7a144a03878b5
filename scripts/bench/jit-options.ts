import { hasJitOptions, JIT_OPTIONS } from "../../src/base/reexec.ts"

/**
 * What is measured inside this process needs the options of the compiled program, too: runs this script once more with
 * them, since they are read at start only; the exit code, or null: they are set.
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
