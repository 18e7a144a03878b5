import { rmSync } from "node:fs"
import { join } from "node:path"
import { findProgram, OpenFolder, replaceFile, userDataDir } from "../../base/index.ts"

/**
 * Opens a link in the system's browser and never waits for the browser. Every user of this machine can read the
 * arguments of a program, and the link has a secret, so that the program gets a private file that leads to the link.
 * Returns what removes the file; null if no program was started.
 */
export function openBrowser(
  link: string,
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
): Disposable | null {
  const folder = join(userDataDir(env), "ui")
  const path = join(folder, `open-${process.pid}.html`)
  const command = browserCommand(path, env, platform)
  const program = command === null ? null : findProgram(command[0]!)
  if (command === null || program === null) return null
  const file = { [Symbol.dispose]: () => rmSync(path, { force: true }) }
  try {
    using held = OpenFolder.open(folder, { make: 0o700 })
    replaceFile(join(held.at, `open-${process.pid}.html`), leadingTo(link))
    const child = Bun.spawn([program, ...command.slice(1)], {
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
      timeout: 5000,
    })
    child.unref()
    return file
  } catch {
    file[Symbol.dispose]()
    return null
  }
}

/** A page that opens the link. */
function leadingTo(link: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${link}">
<title>aman</title>
<a href="${link}">Open the page of aman</a>
</html>
`
}

/** The command that opens a file in a browser; null on a machine without a display. */
export function browserCommand(
  path: string,
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
): string[] | null {
  if (platform === "darwin") return ["open", path]
  // Unlike `cmd /c start`, this gives no part of the path to a shell.
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", path]
  const hasScreen = Boolean(env["DISPLAY"] || env["WAYLAND_DISPLAY"] || env["WSL_DISTRO_NAME"])
  return hasScreen ? ["xdg-open", path] : null
}
