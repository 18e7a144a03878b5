import { fstatSync, statSync } from "node:fs"
import { devNull } from "node:os"

/**
 * True when a file descriptor is a terminal. Pipes, files and /dev/null are recognised without `node:tty`,
 * which takes 3 ms to load.
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
    // The descriptor is closed.
    return false
  }
}
