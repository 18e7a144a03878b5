const MAX_MS = 5000

/** Opens an address with the system's browser; true if a program was started for it. Never waits for the browser. */
export function openBrowser(url: string, env: NodeJS.ProcessEnv, platform: NodeJS.Platform): boolean {
  const command = browserCommand(url, env, platform)
  if (command === null) return false
  try {
    const child = Bun.spawn(command, { stdin: "ignore", stdout: "ignore", stderr: "ignore", timeout: MAX_MS })
    child.unref()
    return true
  } catch {
    return false
  }
}

/** The command that opens an address in a browser; null on a machine without a display. */
export function browserCommand(
  url: string,
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
): string[] | null {
  if (platform === "darwin") return ["open", url]
  // Unlike `cmd /c start`, this gives no part of the address to a shell.
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", url]
  const hasScreen = Boolean(env["DISPLAY"] || env["WAYLAND_DISPLAY"] || env["WSL_DISTRO_NAME"])
  return hasScreen ? ["xdg-open", url] : null
}
