import { fstatSync, statSync } from "node:fs"
import { devNull } from "node:os"

/**
 * True when a file descriptor is a terminal. Pipes, files and /dev/null are recognized without loading `node:tty`,
 * which takes 3 ms.
 */
export function isTerminal(descriptor: 0 | 1 | 2): boolean {
  if (process.platform !== "win32" && !isDevice(descriptor)) return false
  const { isatty } = require("node:tty") as typeof import("node:tty")
  return isatty(descriptor)
}

function isDevice(descriptor: number): boolean {
  try {
    const stat = fstatSync(descriptor)
    return stat.isCharacterDevice() && stat.rdev !== statSync(devNull).rdev
  } catch {
    // The descriptor is closed.
    return false
  }
}

/**
 * Matches DEL, C1 control characters, line separators, and characters that change the direction of text. They are not
 * escaped in JSON, but a terminal interprets them.
 */
const INTERPRETED = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Replaces characters that a terminal interprets by \uXXXX, in JSON or in a text that has the same escapes as JSON. */
export function escapeControls(json: string): string {
  return json.replace(INTERPRETED, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`)
}
