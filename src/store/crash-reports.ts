import { dlopen, ptr } from "bun:ffi"
import { openSystemLibrary } from "./system-library.ts"

/**
 * The runtime (Bun) sends a report of its version and stack addresses to its makers when it crashes: by itself on
 * macOS and Windows, elsewhere if these variables ask for it. It reads them when it crashes.
 */
const SWITCH = "BUN_ENABLE_CRASH_REPORTING"
const ADDRESS = "BUN_CRASH_REPORT_URL"

/**
 * Keeps the runtime from reporting crashes of this process and its children. The runtime reads the system's
 * environment and not `process.env`. Does nothing, at no cost, where nothing would be sent.
 */
export function neverReportCrashes(env = process.env, platform = process.platform): void {
  const isOff = env[SWITCH] === "0" || (platform === "linux" && env[SWITCH] === undefined)
  if (isOff && env[ADDRESS] === undefined) return
  if (platform === "win32") {
    const kernel = dlopen("kernel32.dll", {
      SetEnvironmentVariableA: { args: ["ptr", "ptr"], returns: "i32" },
    }).symbols
    kernel.SetEnvironmentVariableA(text(SWITCH), text("0"))
    kernel.SetEnvironmentVariableA(text(ADDRESS), null)
    return
  }
  const library = openSystemLibrary({
    setenv: { args: ["ptr", "ptr", "i32"], returns: "i32" },
    unsetenv: { args: ["ptr"], returns: "i32" },
  })
  library?.setenv(text(SWITCH), text("0"), 1)
  library?.unsetenv(text(ADDRESS))
}

/** Text for the C library: UTF-8 with a zero at its end. */
function text(value: string) {
  return ptr(Buffer.from(`${value}\0`))
}
