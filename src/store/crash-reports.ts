import { dlopen, ptr } from "bun:ffi"
import { openSystemLibrary } from "../base/index.ts"

const SWITCH = "BUN_ENABLE_CRASH_REPORTING"
const ADDRESS = "BUN_CRASH_REPORT_URL"

/**
 * Keeps the runtime (Bun) from sending its version and stack addresses to Bun's developers when this process or a child
 * crashes. The runtime reads the environment variables at that time, from the system's environment and not from
 * `process.env`.
 */
export function neverReportCrashes(): void {
  if (process.platform === "win32") {
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

/** A text in the form that the C library needs: UTF-8, ending with a zero byte. */
function text(value: string) {
  return ptr(Buffer.from(`${value}\0`))
}
