import { statSync } from "node:fs"
import { everyHalfSecond } from "../base/heartbeat.ts"
import { settingsFiles } from "../config/resolve.ts"

/**
 * Calls when the user's or the project's settings file came, went or was written. They are looked at again and
 * again: the user's lies in a folder that may not be there yet, and two files cost nothing.
 */
export function watchSettings(root: string, onChange: () => void): Disposable {
  const paths = settingsFiles(root, process.env).map(({ path }) => path)
  let last = stampOf(paths)
  return everyHalfSecond(() => {
    const now = stampOf(paths)
    if (now === last) return
    last = now
    onChange()
  })
}

function stampOf(paths: readonly string[]): string {
  return paths
    .map((path) => {
      try {
        const found = statSync(path, { throwIfNoEntry: false })
        return found ? `${found.size} ${found.mtimeMs}` : "none"
      } catch {
        return "none"
      }
    })
    .join()
}
