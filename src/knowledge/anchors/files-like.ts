import { type Dirent, readdirSync } from "node:fs"
import { join, posix } from "node:path"

/** Folders and files that are looked at for one file that is not where it was. */
const MOST_ENTRIES = 20_000

/** What is made by tools, or comes from elsewhere: no file is renamed into these. */
const NOT_SOURCE: ReadonlySet<string> = new Set([
  ...["node_modules", "target", "dist", "build", "out", "vendor", "__pycache__", "venv"],
])

/** Files with the name or the ending of this one: those of its name first, then those nearest to the root. */
export function filesLike(root: string, path: string): string[] {
  const name = posix.basename(path)
  const isLike = (entry: Dirent) =>
    entry.isFile() && (entry.name === name || posix.extname(entry.name) === posix.extname(name))
  const found: string[] = []
  const folders = [""]
  let seen = 0
  for (let folder = folders.shift(); folder !== undefined && seen < MOST_ENTRIES; folder = folders.shift()) {
    const entries = entriesOf(join(root, folder)).slice(0, MOST_ENTRIES - seen)
    seen += entries.length
    const at = (entry: Dirent) => posix.join(folder ?? "", entry.name)
    found.push(...entries.filter(isLike).map(at))
    folders.push(...entries.filter(isOpened).map(at))
  }
  const rank = (path: string) => (posix.basename(path) === name ? 0 : 1)
  return found.sort((a, b) => rank(a) - rank(b))
}

function isOpened(entry: Dirent): boolean {
  return entry.isDirectory() && !entry.name.startsWith(".") && !NOT_SOURCE.has(entry.name)
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
