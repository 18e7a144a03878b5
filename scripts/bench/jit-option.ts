import { JIT_OPTION, JIT_VALUE } from "../../src/base/reexec.ts"

/** What is measured inside this process needs the option of the compiled program, too: runs this script once more with the option, which is read at start only; the exit code, or null: it is set. */
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
