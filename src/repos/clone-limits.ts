import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"

/** Limits for one repository. They are needed because the remote decides how large it is. */
export type CloneLimits = {
  /** Maximum number of files in a commit; also the maximum number of folders. */
  readonly maxFiles: number
  /** Maximum total size in bytes of the repository's files; also the maximum size of one fetch. */
  readonly maxBytes: number
  /** Time limit in ms for one fetch with its checkout. */
  readonly maxMs: number
  /** Maximum memory in bytes of each git process; Linux only. */
  readonly maxMemoryBytes: number
}

/** A limit that was exceeded: a message for users, and what to do about it. */
export type ExceededLimit = { readonly message: string; readonly hint: string }

/** Maximum length of a name in bytes. Some systems cannot create longer names, and a checkout would stop half-way. */
const MAX_NAME_BYTES = 255
const MAX_PATH_BYTES: Partial<Record<NodeJS.Platform, number>> = { darwin: 1_016, win32: 32_000 }
const MAX_PATH_BYTES_ELSEWHERE = 4_000

/**
 * Adds up the output of `git ls-tree -r -t -l -z` while it arrives. So a commit of a few kilobytes that repeats folders
 * is detected before its millions of files are written.
 */
export class TreeCount {
  readonly #limits: CloneLimits
  readonly #maxPathBytes: number
  #rest = ""
  #files = 0
  #folders = 0
  #bytes = 0

  /** `folder` is the folder into which the commit will be checked out. */
  constructor(limits: CloneLimits, folder: string, platform: NodeJS.Platform = process.platform) {
    this.#limits = limits
    const maxBytes = MAX_PATH_BYTES[platform] ?? MAX_PATH_BYTES_ELSEWHERE
    this.#maxPathBytes = maxBytes - Buffer.byteLength(folder) - 1
  }

  /** Adds a part of the output. Returns the first limit that the entries so far exceed; null if they exceed none. */
  add(part: Uint8Array): ExceededLimit | null {
    const entries = (this.#rest + Buffer.from(part).toString("latin1")).split("\0")
    this.#rest = entries.pop()!
    for (const entry of entries) {
      const excess = this.#addEntry(entry)
      if (excess !== null) return excess
    }
    // The part of a path that has arrived is already too long.
    return this.#rest.length > 2 * this.#maxPathBytes ? pathTooLong() : null
  }

  #addEntry(entry: string): ExceededLimit | null {
    const [about = "", path = ""] = entry.split("\t", 2)
    const [, type, , size] = about.split(/ +/)
    if (type === "tree") this.#folders++
    else this.#files++
    this.#bytes += Number(size) || 0
    const { maxFiles, maxBytes } = this.#limits
    if (this.#files > maxFiles) return tooMany("files", maxFiles)
    if (this.#folders > maxFiles) return tooMany("folders", maxFiles)
    if (this.#bytes > maxBytes) return sizeExceeded("its files have", maxBytes)
    const isLong =
      path.length > this.#maxPathBytes || path.split("/").some((name) => name.length > MAX_NAME_BYTES)
    return isLong ? pathTooLong() : null
  }
}

/**
 * Total size in bytes of the files in the folder of packs below a git folder, including packs that are only partially
 * received.
 */
export function packedBytes(gitDir: string): number {
  const folder = join(gitDir, "objects", "pack")
  let bytes = 0
  for (const name of entryNames(folder)) {
    // A file may be deleted or renamed while git runs.
    bytes += statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0
  }
  return bytes
}

export function sizeExceeded(what: string, maxBytes: number): ExceededLimit {
  return {
    message: `${what} more than ${maxBytes} bytes`,
    hint: "to clone it anyway, raise repos.max_size",
  }
}

export function timeExceeded(maxMs: number): ExceededLimit {
  return {
    message: `its fetch took longer than ${Math.round(maxMs / 1000)} s`,
    hint: "if you trust its remote, raise repos.max_time",
  }
}

export function outOfMemory(maxMemoryBytes: number): ExceededLimit {
  return {
    message: `git needed more than ${maxMemoryBytes} bytes of memory for it`,
    hint: "if you trust its remote, raise repos.max_memory",
  }
}

function tooMany(what: "files" | "folders", maxFiles: number): ExceededLimit {
  return {
    message: `it has more than ${maxFiles} ${what}`,
    hint: "to clone it anyway, raise repos.max_files",
  }
}

function pathTooLong(): ExceededLimit {
  return {
    message: "it contains a path that is too long for this system",
    hint: "add a branch or tag without that path: #branch after the address",
  }
}

function entryNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
