import { statSync } from "node:fs"
import { posix, win32 } from "node:path"
import { resolvedOr } from "../../../base/index.ts"

export type Program = {
  /** Command for clients: "aman", or its path. */
  readonly command: string
  /** True if the command works on this machine only. */
  readonly isAbsolute: boolean
  /** True if the command in a client's settings starts the running program, even if it is written in another way. */
  isSame(command: string): boolean
}

export type ProgramEnvironment = {
  /** Path of the running program. */
  readonly executable: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
}

/**
 * Command that starts this program: its name if the shell's PATH leads to it, else its path. Programs started
 * from a desktop (`isWindowed`) do not see that PATH, so they get the path found through it, which stays the
 * same after updates.
 */
export function programFor(around: ProgramEnvironment, isWindowed: boolean): Program {
  const self = resolvedOr(around.executable)
  const onPath = findOnPath("aman", around)
  const commandOnPath = isWindowed ? onPath : "aman"
  const isOnPath = onPath !== null && resolvedOr(onPath) === self
  const command = isOnPath ? commandOnPath! : around.executable
  return {
    command,
    isAbsolute: command !== "aman",
    isSame: (other) => {
      if (other === command) return true
      const path = /[\\/]/.test(other) ? other : findOnPath(other, around)
      return path !== null && resolvedOr(path) === self
    },
  }
}

/** The path at which a shell would find a program by its name; null if it would not find it. */
export function findOnPath(
  name: string,
  { env, platform }: Pick<ProgramEnvironment, "env" | "platform">,
): string | null {
  const { join, isAbsolute, delimiter } = platform === "win32" ? win32 : posix
  const folders = (env["PATH"] ?? env["Path"] ?? "").split(delimiter)
  // Skips relative entries of PATH, which mean another folder for each client, and folders that npm adds, which are
  // in PATH only while npm runs.
  const lasting = folders.filter(
    (folder) => isAbsolute(folder) && !/node_modules[\\/]\.bin[\\/]?$/.test(folder),
  )
  const names = platform === "win32" ? windowsNames(name, env["PATHEXT"]) : [name]
  const paths = lasting.flatMap((folder) => names.map((each) => join(folder, each)))
  return paths.find((path) => isProgram(path, platform)) ?? null
}

function windowsNames(name: string, endings = ".EXE;.CMD"): string[] {
  const list = endings.toLowerCase().split(";")
  return list.some((ending) => name.toLowerCase().endsWith(ending))
    ? [name]
    : list.map((ending) => name + ending)
}

/** True if a command's file name is one that our releases have, as in "aman", "C:\tools\aman.exe", "aman-linux-x64". */
export function isCalledAman(command: string): boolean {
  return /^aman(?:[.-][\w.-]+)?$/i.test(command.split(/[\\/]/).at(-1)!)
}

function isProgram(path: string, platform: NodeJS.Platform): boolean {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    return stat?.isFile() === true && (platform === "win32" || (stat.mode & 0o111) !== 0)
  } catch {
    // A PATH folder without access is skipped, as shells do.
    return false
  }
}
