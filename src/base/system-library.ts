import { dlopen, type FFIFunction, type Library } from "bun:ffi"

/** Names of the C library, by platform. The first one that can be opened is used. */
const NAMES: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: ["libc.so.6", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`],
  darwin: ["libSystem.B.dylib"],
}

/**
 * Functions of the C library; null if the library cannot be called. `names` are libraries to open instead of the C
 * library. Callers should keep the result, because each opening leaves code in memory.
 */
export function openSystemLibrary<Functions extends Record<string, FFIFunction>>(
  functions: Functions,
  names = NAMES[process.platform] ?? [],
): Library<Functions>["symbols"] | null {
  for (const name of names) {
    try {
      return dlopen(name, functions).symbols
    } catch {
      // Not available on this system; try the next name.
    }
  }
  return null
}
