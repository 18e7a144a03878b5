/** As src/base/reexec.ts sets it for the compiled program; what is measured inside this process needs it too. */
export const JIT_OPTION = "BUN_JSC_maximumOMGCandidateCost"
const JIT_VALUE = "2000"

/** Runs this script once more with the option, which is read at start only; the exit code, or null: it is set. */
export function rerunWithJitOption(): number | null {
  if (process.env[JIT_OPTION] !== undefined) return null
  const { exitCode } = Bun.spawnSync([process.execPath, ...process.argv.slice(1)], {
    env: { ...process.env, [JIT_OPTION]: JIT_VALUE },
    stdin: "inherit",
    stdout: "inherit",
    stderr: "inherit",
  })
  return exitCode
}
