import { isAbsolute, join, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { AmanError, sha256, toPosix } from "../../base/index.ts"

/**
 * The address from which a repository is fetched. Two addresses are the same if `formatAddress` returns the same text
 * for them.
 */
export type RepositoryAddress = {
  readonly kind: "https" | "http" | "git" | "ssh" | "scp" | "file"
  readonly user: string | null
  /** The host; "" for a folder on this machine. */
  readonly host: string
  /** Port number; null for the default port of the scheme. */
  readonly port: number | null
  /** Path with a leading "/". In the form of scp, a path without one is relative to the user's home folder on the host. */
  readonly path: string
  /** A branch or tag; null for the branch to which the repository's HEAD refers. */
  readonly ref: string | null
}

export type AddressPlace = {
  /** The folder that relative paths are relative to; null to refuse relative paths. */
  readonly cwd: string | null
  /** The folder for which "~/" stands. */
  readonly home: string
}

const USUAL_PORTS = { https: 443, http: 80, git: 9418, ssh: 22 } as const

/**
 * Parses an address: a URL, the form of scp, or a folder. It may be followed by "#" and a branch or tag. Throws USAGE
 * if it is invalid.
 */
export function parseAddress(written: string, place: AddressPlace): RepositoryAddress {
  const text = written.trim()
  checkText(text)
  const hash = text.lastIndexOf("#")
  const ref = hash < 0 ? null : checkRef(text.slice(hash + 1))
  const where = hash < 0 ? text : text.slice(0, hash)
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(where)?.[1]?.toLowerCase()
  if (scheme !== undefined) return { ...parseUrl(scheme, where), ref }
  return { ...(parseFolder(where, place) ?? parseScp(where) ?? parseRelative(where, place)), ref }
}

/** The canonical form of an address, which `parseAddress` can read. */
export function formatAddress(address: RepositoryAddress): string {
  return `${fetchAddress(address)}${address.ref === null ? "" : `#${address.ref}`}`
}

/** The address in the form that git fetches from. */
export function fetchAddress({ kind, user, host, port, path }: RepositoryAddress): string {
  // In a path, "#" would count as the end of the path, so that a URL is used.
  if (kind === "file") return path.includes("#") ? pathToFileURL(path).href : path
  const name = user === null ? "" : `${user}@`
  if (kind === "scp") return `${name}${host}:${path}`
  return `${kind}://${name}${host}${port === null ? "" : `:${port}`}${path}`
}

/** The name of a repository as shown to users and agents: "github.com/owner/name", or the path of the folder. */
export function repositoryName({ kind, host, port, path, ref }: RepositoryAddress): string {
  const branch = ref === null ? "" : `#${ref}`
  if (kind === "file") return `${path}${branch}`
  const where = path.replace(/^\/+/, "").replace(/(?<=[^/])\.git$/i, "")
  return `${host.toLowerCase()}${port === null ? "" : `:${port}`}/${where}${branch}`
}

type UnpinnedAddress = Omit<RepositoryAddress, "ref">

function parseUrl(scheme: string, text: string): UnpinnedAddress {
  if (scheme === "file") return parseFileUrl(text)
  if (!isKnown(scheme)) throw invalidAddress(`aman does not clone from ${scheme}:// addresses`)
  const [, authority, path] = /^[^/]+:\/\/([^/]*)(.*)$/s.exec(text)!
  const { user, host, port } = splitHost(authority!, scheme)
  const isUsual = port === USUAL_PORTS[scheme]
  return { kind: scheme, user, host, port: isUsual ? null : port, path: checkPath(path!, "url") }
}

function isKnown(scheme: string): scheme is keyof typeof USUAL_PORTS {
  return Object.hasOwn(USUAL_PORTS, scheme)
}

function parseFileUrl(text: string): UnpinnedAddress {
  try {
    const path = toPosix(fileURLToPath(text.replace(/^file:/i, "file:")))
    return folder(checkPath(path, "folder"))
  } catch {
    throw invalidAddress(
      "this file:// address is not a folder on this machine",
      "write file:///folder, or the folder",
    )
  }
}

/** Parses a folder: "/srv/x", "~/x", "./x", "../x", and paths with drives on Windows. Null for a text that is no folder. */
function parseFolder(text: string, { cwd, home }: AddressPlace): UnpinnedAddress | null {
  if (text.startsWith("~/") && home !== "") return folder(toPosix(resolve(home, text.slice(2))))
  if (isAbsolute(text)) return folder(toPosix(resolve(text)))
  if (!/^\.{1,2}(?:[\\/]|$)/.test(text)) return null
  if (cwd === null) throw invalidAddress("a folder must be an absolute path here", "start it with / or ~/")
  return folder(toPosix(resolve(cwd, text)))
}

/** Parses "git@host:owner/name", which has a colon before the first slash. Null for any other text. */
function parseScp(text: string): UnpinnedAddress | null {
  const [, authority, path] = /^((?:[^/:[\]]*@)?(?:\[[^\]]*\]|[^/:[\]]+)):(.*)$/s.exec(text) ?? []
  if (authority === undefined || path === undefined) return null
  const { user, host } = splitHost(authority, "ssh")
  return { kind: "scp", user, host, port: null, path: checkPath(path, "scp") }
}

function parseRelative(text: string, { cwd }: AddressPlace): UnpinnedAddress {
  if (/^[\w-]+(?:\.[\w-]+)+\/./.test(text)) {
    throw invalidAddress("this is neither an address nor a folder", `did you mean https://${text}?`)
  }
  if (cwd === null) throw invalidAddress("this is neither an address nor an absolute folder")
  return folder(toPosix(resolve(cwd, text)))
}

function folder(path: string): UnpinnedAddress {
  return { kind: "file", user: null, host: "", port: null, path }
}

const MAX_CHARACTERS = 1000
const EXAMPLES =
  "write https://host/owner/name, git@host:owner/name, ssh://host/path, or a folder; #branch may follow"

/**
 * Creates the error for an invalid address. Its message never contains the address, because that may contain a
 * password.
 */
function invalidAddress(why: string, hint = EXAMPLES): AmanError {
  return new AmanError("USAGE", `not the address of a repository: ${why}`, { hint })
}

/** Refuses texts that cannot be an address: options, other transports of git, and texts with unprintable characters. */
function checkText(text: string): void {
  if (text === "") throw invalidAddress("it is empty")
  if (text.length > MAX_CHARACTERS) throw invalidAddress(`it is longer than ${MAX_CHARACTERS} characters`)
  if (text.startsWith("-")) throw invalidAddress("it starts with a dash, which git reads as an option")
  if (/^[a-z0-9+.-]*::/i.test(text)) {
    throw invalidAddress("git's remote helpers (ext::, fd:: …) run programs and are not allowed")
  }
  if (!text.isWellFormed() || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text))
    throw invalidAddress("it contains control characters")
}

type Host = { readonly user: string | null; readonly host: string; readonly port: number | null }

// As in ~/.ssh/config, where a host may have almost any name. An IPv6 address is in brackets.
const HOST = /^(?:[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?|\[[0-9a-f:.]+\])$/i
const USER = /^[a-z0-9_][a-z0-9_.+~%-]*$/i
// Matches access tokens, which services issue for use instead of passwords.
const TOKEN =
  /^(?:gh[a-z]_|github_pat_|glpat-|x-(?:token-auth|oauth-basic|access-token)$|oauth2$|ATBB)|^.{41,}$/i

/** Splits and checks "user@host:port". A password is refused, because it would be stored and might be printed. */
function splitHost(authority: string, scheme: string): Host {
  const at = authority.lastIndexOf("@")
  const [user = null, password] = at < 0 ? [] : authority.slice(0, at).split(/:(.*)/s, 2)
  if (password !== undefined || (scheme !== "ssh" && user !== null && TOKEN.test(user))) throw credentials()
  if (user !== null && !USER.test(user)) throw invalidAddress("its user name is invalid")
  const [, host = "", digits] = /^(.*?)(?::(\d*))?$/s.exec(authority.slice(at + 1))!
  if (!HOST.test(host)) throw invalidAddress("its host name is invalid")
  return { user, host: scheme === "ssh" ? host : host.toLowerCase(), port: portOf(digits) }
}

function credentials(): AmanError {
  return invalidAddress(
    "it contains a password or token, which aman never stores or shows",
    "remove it, and use git's credential helper or ssh",
  )
}

function portOf(digits: string | undefined): number | null {
  if (digits === undefined) return null
  const port = Number(digits)
  if (digits === "" || port < 1 || port > 65_535)
    throw invalidAddress("its port is not a number from 1 to 65535")
  return port
}

/** The path without slashes at its end. Throws USAGE if it is invalid. */
function checkPath(path: string, form: "url" | "scp" | "folder"): string {
  const clean = path.replace(/(?<=[^/])\/+$/, "")
  if (form === "folder") return clean
  if (form === "scp" && /^[^/]*@[^/]*:/.test(clean)) throw credentials()
  if (clean === "" || clean === "/") throw invalidAddress("it has no repository path")
  if (clean.startsWith("-")) throw invalidAddress("its path starts with a dash, which git reads as an option")
  if (/[\s\\?#]/.test(clean))
    throw invalidAddress("its path contains blanks, a backslash, ? or #", "write them as %20, %3f …")
  if (clean.split("/").some((part) => part === "." || part === ".."))
    throw invalidAddress("its path contains . or ..")
  return clean
}

/**
 * Checks the name of a branch or tag by the rules of git-check-ref-format(1), and refuses names that git could read as
 * several names.
 */
function checkRef(ref: string): string {
  const isName =
    ref.length <= 200 &&
    !/[\s~^:?*[\\#\p{C}]|\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)/u.test(ref) &&
    !/^[-+./@]|[./]$|^$/.test(ref)
  if (isName) return ref
  throw invalidAddress("the text after # is not the name of a branch or tag")
}

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
