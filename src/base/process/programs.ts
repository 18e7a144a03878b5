import { readdirSync, readFileSync, realpathSync } from "node:fs"
import { delimiter, isAbsolute } from "node:path"
import { isInside, realPlace } from "../paths.ts"

/** Roots of the projects that this process has to do with, with links resolved. No program is looked for in them. */
const projectRoots = new Set<string>()

/** Keeps `findProgram` from looking in this folder from now on. */
export function keepProgramsOutOf(root: string): void {
  projectRoots.add(root)
}

/**
 * The path of a program: `name` itself if it is absolute, else the first program of that name in a folder of PATH. Null
 * if there is none. Folders of PATH that are relative or inside a project are not searched, nor are programs found that
 * are links into one: its author decides what lies there. `root` is a further project.
 */
export function findProgram(name: string, root?: string): string | null {
  if (isAbsolute(name)) return name
  if (name === "" || /[\\/]/.test(name)) return null
  for (const folder of foldersOutside(root)) {
    const found = Bun.which(name, { PATH: folder, cwd: "/" })
    if (found !== null && isAbsolute(found) && isOutsideProjects(found, root)) return found
  }
  return null
}

/** The folders of PATH in which `findProgram` looks. A program that aman starts gets them as its PATH. */
export function pathOutsideProjects(root?: string): string {
  return foldersOutside(root).join(delimiter)
}

/** False if the path, or what it leads to, is inside a project or does not exist. */
export function isOutsideProjects(path: string, root?: string): boolean {
  try {
    const places = [path, realpathSync(path)]
    return !rootsWith(root).some((each) => places.some((place) => isInside(each, place)))
  } catch {
    return false
  }
}

function foldersOutside(root: string | undefined): string[] {
  const folders = (process.env["PATH"] ?? "").split(delimiter)
  return folders.filter((folder) => isAbsolute(folder) && isOutsideProjects(folder, root))
}

/** The roots as they are written, and with their links resolved. */
function rootsWith(root: string | undefined): string[] {
  const roots = root === undefined ? [...projectRoots] : [...projectRoots, root]
  return [...new Set(roots.flatMap((each) => [each, realPlace(each)]))]
}

/** Kills a child that leads a process group, together with the processes that it has started. */
export function endGroup(child: {
  readonly pid?: number | undefined
  kill(signal: "SIGKILL"): unknown
}): void {
  try {
    if (child.pid !== undefined && process.platform !== "win32") process.kill(-child.pid, "SIGKILL")
  } catch {
    // The group has already ended.
  }
  child.kill("SIGKILL")
}

/** Resident memory of a process group in bytes; 0 if /proc is not available. */
export function memoryOfGroup(group: number | undefined): number {
  if (process.platform !== "linux" || group === undefined) return 0
  let pages = 0
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue
    try {
      const fields = readFileSync(`/proc/${name}/stat`, "latin1")
        .replace(/^.*\) /s, "")
        .split(" ")
      if (Number(fields[2]) === group) pages += Number(fields[21])
    } catch {
      // The process has ended in the meantime.
    }
  }
  return pages * 4096
}
