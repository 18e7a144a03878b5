import {
  type BigIntStats,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  statSync,
} from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { AmanError } from "../errors.ts"
import { noteOpened, placeOf, realPlace } from "../paths.ts"

/** Delay in ms of `closeLate`. A worker thread that was told to end may still write into the folder during this time. */
const LATE_CLOSE_MS = 10_000

const { O_DIRECTORY = 0, O_NOFOLLOW = 0 } = constants
/**
 * The flag from linux/fcntl.h, which node does not export. Opening with it requires no permission to list the folder,
 * only to reach it.
 */
const O_PATH = 0o10000000

/**
 * A folder that was opened once. It stays the same folder even if another one has its path later: git replaces an
 * ignored folder by a link when a commit contains a link of that name, and a parent folder can be renamed and replaced.
 * Files that are opened by `at` are always in the folder that was opened. See docs/decisions/03-index.md.
 */
export class OpenFolder implements Disposable {
  /** The path of the folder, for messages and as a key. */
  readonly path: string
  /**
   * The path by which files in the folder must be opened. On Linux it is `/proc/self/fd/N`, which follows the
   * descriptor and not a name. On other systems it is the path itself, so that `isInPlace` must be checked before each
   * use.
   */
  readonly at: string
  readonly #real: string
  readonly #identity: string
  #descriptor: number | null

  private constructor(path: string, real: string, descriptor: number | null, identity: string) {
    this.path = path
    this.#real = real
    this.#descriptor = descriptor
    this.#identity = identity
    this.at = descriptor === null ? real : throughDescriptor(descriptor)
    if (descriptor !== null) noteOpened(descriptor, real)
  }

  /**
   * Opens a folder. If it does not exist, the result is null, unless `make` gives permissions to create it with. Throws
   * IO if there is a link at the path.
   */
  static open(path: string, options: { readonly make: number; readonly isStrict?: boolean }): OpenFolder
  static open(path: string, options?: OpenFolderOptions): OpenFolder | null
  static open(path: string, { make, isStrict = false }: OpenFolderOptions = {}): OpenFolder | null {
    const real = isStrict ? path : realOf(path)
    if (!hasDescriptors()) return OpenFolder.#byIdentity(path, real, make)
    const descriptor = openFolder(path, real, make)
    return descriptor === null ? null : new OpenFolder(path, real, descriptor, "")
  }

  static #byIdentity(path: string, real: string, make: number | undefined): OpenFolder | null {
    const stat = plainFolder(path, real)
    if (stat !== null) return new OpenFolder(path, real, null, identityOf(stat))
    if (make === undefined) return null
    mkdirSync(real, { recursive: true, mode: make })
    const made = plainFolder(path, real)
    if (made === null) throw notThatFolder(path, real)
    return new OpenFolder(path, real, null, identityOf(made))
  }

  /** True while the path leads to this folder without a link. */
  get isInPlace(): boolean {
    try {
      if (this.#descriptor === null) return identityOf(plainFolder(this.path, this.#real)) === this.#identity
      const now = readlinkSync(this.at)
      return now === this.#real || isSameFolder(this.at, this.#real)
    } catch {
      return false
    }
  }

  /** Throws IO if the folder is no longer at its path. */
  requireInPlace(): void {
    if (!this.isInPlace) throw notThatFolder(this.path, this.#real)
  }

  [Symbol.dispose](): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor)
    this.#descriptor = null
  }

  /**
   * Closes the folder after a delay, because a thread that was told to end may still be writing. If the number of the
   * descriptor were reused for another folder, the thread would write there.
   */
  closeLate(): void {
    if (this.#descriptor !== null) setTimeout(() => this[Symbol.dispose](), LATE_CLOSE_MS).unref()
  }
}

/** A file in an open folder. `at` is the path by which it must be opened. */
export type FileInFolder = Disposable & { readonly folder: OpenFolder; readonly at: string }

/**
 * Opens the folder of a file that belongs to the user. A link on the path to it is followed, but is resolved only once
 * per process. Null if the folder does not exist and must not be created.
 */
export function openFolderOf(path: string, options: { readonly make: number }): FileInFolder
export function openFolderOf(path: string, options?: OpenFolderOptions): FileInFolder | null
export function openFolderOf(path: string, options: OpenFolderOptions = {}): FileInFolder | null {
  const real = realOf(path)
  const folder = OpenFolder.open(real === path ? dirname(path) : dirname(real), options)
  if (folder === null) return null
  return { folder, at: join(folder.at, basename(real)), [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

type OpenFolderOptions = {
  readonly make?: number | undefined
  /** True if the path is resolved already and must not contain a link, as for a folder in a project. */
  readonly isStrict?: boolean
}

/** A path to an open file or folder that is valid whatever its name is now; null on systems without such paths. */
export function pathOfOpen(descriptor: number): string | null {
  return hasDescriptors() ? throughDescriptor(descriptor) : null
}

function throughDescriptor(descriptor: number): string {
  noteOpened(descriptor, null)
  return `/proc/self/fd/${descriptor}`
}

let descriptorsExist: boolean | undefined

/** True on Linux with /proc mounted. */
function hasDescriptors(): boolean {
  descriptorsExist ??=
    process.platform === "linux" && statSync("/proc/self/fd", { throwIfNoEntry: false }) !== undefined
  return descriptorsExist
}

/** Resolves links on the path to a folder of the user, once per process. */
function realOf(path: string): string {
  if (placeOf(path) !== path) return placeOf(path)
  const real = places.get(path) ?? realPlace(path)
  places.set(path, real)
  return real
}

const places = new Map<string, string>()

/** Opens a folder and returns its descriptor; null if it does not exist and must not be created. */
function openFolder(path: string, real: string, make: number | undefined): number | null {
  const descriptor = openPlain(path, real, real)
  if (descriptor !== null || make === undefined) return descriptor
  const parent = openFolder(dirname(path), dirname(real), make)!
  try {
    const inside = join(throughDescriptor(parent), basename(real))
    makeFolder(inside, make)
    const made = openPlain(path, real, inside)
    if (made === null) throw notThatFolder(path, real)
    return made
  } finally {
    closeSync(parent)
  }
}

/** Opens a folder without following a link; null if it does not exist. `by` is the path by which it is opened. */
function openPlain(path: string, real: string, by: string): number | null {
  let descriptor: number
  try {
    descriptor = openSync(by, O_PATH | O_DIRECTORY | O_NOFOLLOW)
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === "ENOENT") return refuseLinkOnTheWay(path, real)
    if (code === "ENOTDIR" || code === "ELOOP") throw notThatFolder(path, real)
    throw error
  }
  const at = throughDescriptor(descriptor)
  // If the path of the folder contains links, the kernel reports another path for it.
  if (readlinkSync(at) === real || isSameFolder(at, real)) return descriptor
  closeSync(descriptor)
  throw notThatFolder(path, real)
}

/** Throws if a link on the path leads to the missing folder, because the folder must not be created there. */
function refuseLinkOnTheWay(path: string, real: string): null {
  if (realPlace(real) !== real) throw notThatFolder(path, real)
  return null
}

/**
 * True if both paths have the same device and inode. It is needed for file systems whose names differ from those that
 * the kernel reports, such as file systems that ignore case.
 */
function isSameFolder(at: string, real: string): boolean {
  return (
    realPlace(real) === real &&
    identityOf(statSync(at, { bigint: true })) === identityOf(plainFolder(real, real))
  )
}

function makeFolder(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    // Another process created it first.
    if ((error as { code?: unknown }).code !== "EEXIST") throw error
  }
}

function plainFolder(path: string, real: string): BigIntStats | null {
  const stat = lstatSync(real, { bigint: true, throwIfNoEntry: false })
  if (stat === undefined) return refuseLinkOnTheWay(path, real)
  if (!stat.isDirectory() || realpathSync(real) !== real) throw notThatFolder(path, real)
  return stat
}

function identityOf(stat: BigIntStats | null): string {
  return stat === null ? "" : `${stat.dev}:${stat.ino}`
}

/** Creates the error that says what is at the path of the folder now. */
function notThatFolder(path: string, real: string): AmanError {
  const stat = lstatSync(real, { throwIfNoEntry: false })
  const leadsTo = realPlace(real)
  if (stat?.isSymbolicLink()) {
    const target = resolve(dirname(real), readlinkSync(real))
    return new AmanError(
      "IO",
      `${path} is now a symbolic link to ${target}; aman does not write through it`,
      {
        hint: "delete the link (a pull or checkout may have created it); aman then creates the folder again",
      },
    )
  }
  if (leadsTo !== real) {
    return new AmanError(
      "IO",
      `${path} now leads through a symbolic link to ${leadsTo}; aman does not follow it`,
      {
        hint: "restore the folder, or restart aman if the move was intended",
      },
    )
  }
  if (stat !== undefined && !stat.isDirectory()) {
    return new AmanError("IO", `${path} is now a file, but aman needs a folder there`, {
      hint: "move or delete that file; aman then creates the folder again",
    })
  }
  return new AmanError("IO", `${path} was replaced while aman used it`, { hint: "try again" })
}
