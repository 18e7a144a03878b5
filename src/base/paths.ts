import { accessSync, constants, existsSync, readdirSync, readlinkSync, realpathSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path"
import { fileURLToPath } from "node:url"

type Environment = Readonly<Record<string, string | undefined>>

/** The folder for data of the user that belongs to no single project. AMAN_DATA_DIR overrides it. */
export function userDataDir(
  env: Environment = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  const named = env["AMAN_DATA_DIR"]
  if (named) return resolve(named)
  const home = dataHome(env, platform)
  // Without a home folder, as in some containers, the path would be relative and lead into the project.
  return isAbsolute(home) ? join(home, "aman") : temporaryDataDir()
}

/** The folder for data if the user's own folder cannot be written. The system may empty it. */
export function temporaryDataDir(): string {
  return join(tmpdir(), `aman-${process.getuid?.() ?? "user"}`)
}

/**
 * The folder of the user's settings; null if the home folder is unknown, because a relative path would lead into the
 * project.
 */
export function userConfigDir(
  env: Environment = process.env,
  platform: NodeJS.Platform = process.platform,
): string | null {
  const xdg = env["XDG_CONFIG_HOME"]
  if (xdg && isAbsolute(xdg)) return join(xdg, "aman")
  if (platform === "win32" && env["APPDATA"]) return join(env["APPDATA"], "aman")
  const home = homeDir(env)
  return isAbsolute(home) ? join(home, ".config", "aman") : null
}

/**
 * The user's home folder. "" if neither the environment nor the system knows it, or if the path is relative, because it
 * would then mean a different folder in each working directory.
 */
export function homeDir(env: Environment = process.env): string {
  const home = (process.platform === "win32" ? env["USERPROFILE"] : env["HOME"]) || systemHome()
  return isAbsolute(home) ? home : ""
}

/**
 * The home folder according to the system. "" if the system does not know the user, as in containers with an arbitrary
 * user id.
 */
function systemHome(): string {
  try {
    return homedir()
  } catch {
    return ""
  }
}

/** The path with "/" as separator on every system. Paths are stored, compared and shown only in this form. */
export function toPosix(path: string): string {
  return sep === "/" ? path : path.replaceAll(sep, "/")
}

/**
 * True for `root` itself and for everything below it; "/a/bc" is not inside "/a/b". Only the texts are compared; no
 * links are followed.
 */
export function isInside(root: string, path: string): boolean {
  const way = relative(root, path)
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}

/**
 * The path that a file URI names; any other text unchanged. Understands what clients send: `file:///c%3A/x`,
 * `file://d:\x`, and a URI whose special characters are not encoded.
 */
export function pathOfUri(text: string): string {
  if (!/^file:/iu.test(text)) return text
  try {
    // A fragment may name lines: file:///a.ts#L10-L20.
    return fileURLToPath(text) + new URL(text).hash
  } catch {
    // Not a valid URI on this system, for example with the name of another host.
    return text
  }
}

/** An absolute path with its links resolved. Parts that do not exist are kept. */
export function realPlace(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const folder = dirname(path)
    return folder === path ? path : join(realPlace(folder), basename(path))
  }
}

/**
 * A path relative to the root with its names as they are on disk, where accents may be composed or decomposed: macOS and
 * archives made on it decompose them, keyboards compose them. Parts that do not exist are kept.
 */
export function spelledOnDisk(root: string, path: string): string {
  if (/^[\0-\x7f]*$/.test(path) || existsSync(join(root, path))) return path
  const [, outer = "", name = path] = /^(.*)\/(.*)$/s.exec(path) ?? []
  const folder = spelledOnDisk(root, outer)
  return join(folder, namesIn(root, folder).find((each) => isSameName(each, name)) ?? name)
}

function isSameName(one: string, other: string): boolean {
  return one.normalize("NFC") === other.normalize("NFC")
}

/** Names of the entries of a folder; none if it is outside the root, links followed, or cannot be read. */
function namesIn(root: string, folder: string): string[] {
  try {
    const place = realpathSync(join(root, folder))
    return isInside(realpathSync(root), place) ? readdirSync(place) : []
  } catch {
    return []
  }
}

/** True if the user may write to the path. False also if the whole file system is read-only. */
export function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

function dataHome(env: Environment, platform: NodeJS.Platform): string {
  const xdg = env["XDG_DATA_HOME"]
  // According to the XDG specification, a relative path must be ignored.
  if (xdg && isAbsolute(xdg)) return xdg
  if (platform === "darwin") return join(homeDir(env), "Library", "Application Support")
  if (platform === "win32") return env["LOCALAPPDATA"] || join(homeDir(env), "AppData", "Local")
  return join(homeDir(env), ".local", "share")
}

/** The paths of folders by the descriptors with which they were opened last. Some are closed. */
const openedFolders = new Map<number, string>()

/**
 * Notes that this descriptor is now that of a folder with this path; null: of something else. Messages about a folder are
 * often written after it has been closed, removed or renamed, when the system no longer knows the path.
 */
export function noteOpened(descriptor: number, path: string | null): void {
  if (path === null) openedFolders.delete(descriptor)
  else openedFolders.set(descriptor, path)
}

/** For a path below an open folder, or one that has been closed, the path that the user knows; others unchanged. */
export function displayPath(path: string): string {
  const [, descriptor, rest = ""] = BELOW_DESCRIPTOR.exec(path) ?? []
  const opened = openedFolders.get(Number(descriptor))
  return opened === undefined ? placeOf(path) : opened + rest
}

/** For a path below an open folder, the path that leads to the same place now; others unchanged. */
export function placeOf(path: string): string {
  const [, descriptor, rest = ""] = BELOW_DESCRIPTOR.exec(path) ?? []
  if (descriptor === undefined) return path
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`) + rest
  } catch {
    return path
  }
}

const BELOW_DESCRIPTOR = /^\/proc\/self\/fd\/(\d+)(\/.*)?$/

/** Replaces every path below an open folder in a text (a message of the system) by the path that the user knows. */
export function displayPaths(text: string): string {
  return text.replace(/\/proc\/self\/fd\/\d+/g, displayPath)
}

/** The path with its links resolved; the same path if it does not exist or cannot be resolved. */
export function resolvedOr(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
