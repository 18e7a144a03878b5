import { statSync } from "node:fs"
import { settingsFiles } from "../config/resolve.ts"

const POLL_MS = 500

/**
 * Calls when the user's or the project's settings file came, went or was written. They are looked at again and
 * again: the user's lies in a folder that may not be there yet, and two files cost nothing.
 */
export function watchSettings(root: string, onChange: () => void): Disposable {
  let last = stampOf(root)
  const timer = setInterval(() => {
    const now = stampOf(root)
    if (now === last) return
    last = now
    onChange()
  }, POLL_MS)
  timer.unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

function stampOf(root: string): string {
  return settingsFiles(root, process.env)
    .map(({ path }) => {
      try {
        const found = statSync(path, { throwIfNoEntry: false })
        return found ? `${found.size} ${found.mtimeMs}` : "none"
      } catch {
        return "none"
      }
    })
    .join()
}
