import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs"
import { basename, dirname, join } from "node:path"
import { cannotWrite } from "../../base/files/cannot-write.ts"
import { replaceFile } from "../../base/files/create-file.ts"
import { OpenFolder } from "../../base/files/open-folder.ts"
import { temporaryDataDir, userDataDir } from "../../base/paths.ts"

/**
 * Loads a native library that is embedded in the binary. The system loads libraries from files only, so it is unpacked
 * into a folder that only this user may write, and never loaded from elsewhere: the runtime itself would unpack it into
 * the shared temporary folder, under a name that anybody can know. A file that is there already must equal the embedded
 * one. Throws if the system refuses the library, or IO if no folder can be used.
 */
export function loadUnpacked(embedded: string): unknown {
  const bytes = readFileSync(embedded)
  const folders = [userDataDir(), temporaryDataDir()].map((folder) => join(folder, "native"))
  let reason: unknown
  for (const folder of folders) {
    try {
      return loadFrom(folder, basename(embedded), bytes)
    } catch (error) {
      reason ??= error
    }
  }
  if ((reason as { code?: unknown }).code === "ERR_DLOPEN_FAILED") throw reason
  throw cannotWrite(folders[0]!, reason, "set AMAN_DATA_DIR to a folder of your own")
}

function loadFrom(path: string, name: string, bytes: Buffer): unknown {
  using folder = OpenFolder.open(path, { make: 0o700 })
  requirePrivate(folder)
  const file = join(folder.at, name)
  if (!hasContent(file, bytes)) {
    replaceFile(file, bytes)
    removeOthers(folder.at, name)
  }
  const module: { exports: unknown } = { exports: {} }
  process.dlopen(module, file)
  return module.exports
}

/** Throws if another user may write into the folder, owns it, or owns the one around it. */
function requirePrivate({ at, path }: OpenFolder): void {
  const self = process.getuid?.()
  if (self === undefined) return
  const { uid, mode } = statSync(at)
  const around = statSync(dirname(path)).uid
  if (uid !== self || (around !== self && around !== 0)) throw new Error("it belongs to another user")
  if ((mode & OTHERS_WRITE) !== 0) throw new Error("other users may write into it")
}

const OTHERS_WRITE = 0o022
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants

/** True if there is a plain file with this content, which is this user's own. */
function hasContent(path: string, bytes: Buffer): boolean {
  let file: number
  try {
    file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch {
    return false
  }
  try {
    const stat = fstatSync(file)
    const isOwn =
      process.getuid === undefined || (stat.uid === process.getuid() && (stat.mode & OTHERS_WRITE) === 0)
    return stat.isFile() && isOwn && stat.size === bytes.length && readFileSync(file).equals(bytes)
  } finally {
    closeSync(file)
  }
}

/** Removes the libraries of other versions. A process that has loaded one keeps it; Windows then refuses. */
function removeOthers(folder: string, name: string): void {
  for (const other of readdirSync(folder)) {
    try {
      if (other !== name && other.endsWith(".node")) rmSync(join(folder, other), { force: true })
    } catch {
      // In use.
    }
  }
}
