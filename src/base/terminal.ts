import { fstatSync, statSync } from "node:fs"
import { devNull } from "node:os"

/**
 * Whether a person is at the other end of a file descriptor. Of pipes, files and nowhere that is known without
 * `node:tty`, whose loading takes 3 ms.
 */
export function isTerminal(descriptor: 0 | 1 | 2): boolean {
  if (process.platform !== "win32" && !isDevice(descriptor)) return false
  const { isatty } = require("node:tty") as typeof import("node:tty")
  return isatty(descriptor)
}

function isDevice(descriptor: number): boolean {
  try {
    const found = fstatSync(descriptor)
    return found.isCharacterDevice() && found.rdev !== statSync(devNull).rdev
  } catch {
    // Closed.
    return false
  }
}
