import { join } from "node:path"
import { AmanError } from "../base/errors.ts"
import { sha256 } from "../base/files/files.ts"

/**
 * Maximum length of a folder name in bytes. File systems limit names to 255 bytes; the rest is for names derived from
 * it.
 */
const MAX_NAME_BYTES = 230

/**
 * Converts an address to a folder name, from which `addressIn` can restore it. Upper-case letters are marked, because
 * some file systems ignore case: "git@github.com:Org/my_repo" becomes "git@github.com=3a,org+my_repo".
 */
export function folderName(address: string): string {
  const name = Array.from(Buffer.from(address, "utf8"), encoded).join("").replace(/\.$/, "=2e")
  if (name.length <= MAX_NAME_BYTES) return name
  throw new AmanError("USAGE", "the address of the repository is too long for a folder name", {
    hint: "use a shorter local path, or an alias of the host in ~/.ssh/config",
  })
}

/** The address for which `folderName` returns this name; null if there is none. */
export function addressIn(name: string): string | null {
  const bytes = name.replace(/,([a-z])|=([0-9a-f]{2})|\+/g, (_, letter?: string, hex?: string) => {
    if (letter !== undefined) return letter.toUpperCase()
    return hex === undefined ? "/" : String.fromCharCode(Number.parseInt(hex, 16))
  })
  const address = Buffer.from(bytes, "latin1").toString("utf8")
  try {
    return folderName(address) === name ? address : null
  } catch {
    return null
  }
}

function encoded(byte: number): string {
  const sign = String.fromCharCode(byte)
  if (sign === "/") return "+"
  if (/[a-z0-9._@~-]/.test(sign)) return sign
  return /[A-Z]/.test(sign) ? `,${sign.toLowerCase()}` : `=${byte.toString(16).padStart(2, "0")}`
}

/** The folders with the data of other repositories, which are below one base folder. */
export type RepoPlaces = {
  readonly base: string
  readonly clones: string
  readonly indexes: string
  /** The folder that contains the manifest and the write lock. */
  readonly state: string
  readonly manifest: string
}

export function repositoryFolders(base: string): RepoPlaces {
  const state = join(base, "state")
  return {
    base,
    clones: join(base, "repos"),
    indexes: join(base, "indexes"),
    state,
    manifest: join(state, "manifest.json"),
  }
}

/** The folder of a repository's clone. `addressIn` can restore the address from its name. */
export function cloneFolder(places: RepoPlaces, id: string): string {
  return join(places.clones, id)
}

/**
 * The folder of a repository's index. Its name is short, because some systems limit the length of whole paths; the
 * address cannot be restored from it.
 */
export function indexFolder(places: RepoPlaces, id: string): string {
  return join(places.indexes, sha256(id).slice(0, 32))
}
