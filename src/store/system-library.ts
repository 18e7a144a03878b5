import { dlopen, type FFIFunction, type Library } from "bun:ffi"

/** The C library of this system; the first that there is. */
const NAMES: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: ["libc.so.6", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`],
  darwin: ["libSystem.B.dylib"],
}

/** Functions of the C library, or null where it cannot be called. Each opening leaves some code behind: keep it. */
export function openSystemLibrary<Functions extends Record<string, FFIFunction>>(
  functions: Functions,
): Library<Functions>["symbols"] | null {
  for (const name of NAMES[process.platform] ?? []) {
    try {
      return dlopen(name, functions).symbols
    } catch {
      // Another system's.
    }
  }
  return null
}
