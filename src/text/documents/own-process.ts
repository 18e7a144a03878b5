import { tmpdir } from "node:os"
import { isCompiled } from "../../base/index.ts"

/** A process of this program that does one kind of work for this one. */
export type OwnProcess = Bun.Subprocess<"ignore", "ignore", "pipe">

/**
 * Starts this program again with the argument `name`, by which main.ts knows the work; a development run starts the file
 * `source`. Null if the system refuses. The process knows nothing of the environment and the folder of this one.
 */
export function startOwnProcess<Reply>(
  name: string,
  source: string,
  onReply: (reply: Reply) => void,
  onExit: (child: OwnProcess) => void,
): OwnProcess | null {
  // On Linux, this path stays valid if the program's file has been replaced by a newer one.
  const executable = process.platform === "linux" ? "/proc/self/exe" : process.execPath
  const { SystemRoot } = process.env
  try {
    const child = Bun.spawn([executable, isCompiled() ? name : source], {
      stdio: ["ignore", "ignore", "pipe"],
      serialization: "advanced",
      env: { BUN_ENABLE_CRASH_REPORTING: "0", ...(SystemRoot === undefined ? {} : { SystemRoot }) },
      cwd: tmpdir(),
      windowsHide: true,
      ipc: onReply,
      onExit,
    })
    child.unref()
    return child
  } catch {
    return null
  }
}
