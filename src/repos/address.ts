import { isAbsolute, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { AmanError } from "../base/errors.ts"
import { toPosix } from "../base/paths.ts"

/**
 * The address that a repository is fetched from. Two addresses are the same if `formatAddress` gives the same
 * text.
 */
export type RepositoryAddress = {
  readonly kind: "https" | "http" | "git" | "ssh" | "scp" | "file"
  readonly user: string | null
  /** "" for a folder of this machine. */
  readonly host: string
  /** Port number; null for the usual port of the scheme. */
  readonly port: number | null
  /** Path with a leading "/", except for a path in scp's form that is relative to the user's home on the host. */
  readonly path: string
  /** A branch or a tag; null for the branch that the repository's HEAD names. */
  readonly ref: string | null
}

export type AddressPlace = {
  /** Base of relative paths; null: they are refused. */
  readonly cwd: string | null
  /** The folder that "~/" means. */
  readonly home: string
}

const USUAL_PORTS = { https: 443, http: 80, git: 9418, ssh: 22 } as const

/**
 * Parses an address: a URL, scp's form, or a folder, optionally followed by "#ref" for a branch or a tag.
 * Throws USAGE.
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

/** The canonical form of an address; `parseAddress` reads it back. */
export function formatAddress(address: RepositoryAddress): string {
  return `${fetchAddress(address)}${address.ref === null ? "" : `#${address.ref}`}`
}

/** The address that git fetches from. */
export function fetchAddress({ kind, user, host, port, path }: RepositoryAddress): string {
  // A "#" would be read as the end of the path.
  if (kind === "file") return path.includes("#") ? pathToFileURL(path).href : path
  const name = user === null ? "" : `${user}@`
  if (kind === "scp") return `${name}${host}:${path}`
  return `${kind}://${name}${host}${port === null ? "" : `:${port}`}${path}`
}

/** The name shown to people and agents: "github.com/owner/name", or the folder. */
export function repositoryName({ kind, host, port, path, ref }: RepositoryAddress): string {
  const branch = ref === null ? "" : `#${ref}`
  if (kind === "file") return `${path}${branch}`
  const where = path.replace(/^\/+/, "").replace(/(?<=[^/])\.git$/i, "")
  return `${host.toLowerCase()}${port === null ? "" : `:${port}`}/${where}${branch}`
}

type UnpinnedAddress = Omit<RepositoryAddress, "ref">

function parseUrl(scheme: string, text: string): UnpinnedAddress {
  if (scheme === "file") return parseFileUrl(text)
  if (!isKnown(scheme)) throw refuse(`aman does not clone from ${scheme}:// addresses`)
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
    throw refuse(
      "this file:// address is not a folder on this machine",
      "write file:///folder, or the folder",
    )
  }
}

/** "/srv/x", "~/x", "./x", "../x"; drives on Windows. Null if the text is not a folder. */
function parseFolder(text: string, { cwd, home }: AddressPlace): UnpinnedAddress | null {
  if (text.startsWith("~/") && home !== "") return folder(toPosix(resolve(home, text.slice(2))))
  if (isAbsolute(text)) return folder(toPosix(resolve(text)))
  if (!/^\.{1,2}(?:[\\/]|$)/.test(text)) return null
  if (cwd === null) throw refuse("a folder must be an absolute path here", "start it with / or ~/")
  return folder(toPosix(resolve(cwd, text)))
}

/** "git@host:owner/name": the text has a colon before any slash. Null for any other text. */
function parseScp(text: string): UnpinnedAddress | null {
  const [, authority, path] = /^((?:[^/:[\]]*@)?(?:\[[^\]]*\]|[^/:[\]]+)):(.*)$/s.exec(text) ?? []
  if (authority === undefined || path === undefined) return null
  const { user, host } = splitHost(authority, "ssh")
  return { kind: "scp", user, host, port: null, path: checkPath(path, "scp") }
}

function parseRelative(text: string, { cwd }: AddressPlace): UnpinnedAddress {
  if (/^[\w-]+(?:\.[\w-]+)+\/./.test(text)) {
    throw refuse("this is neither an address nor a folder", `did you mean https://${text}?`)
  }
  if (cwd === null) throw refuse("this is neither an address nor an absolute folder")
  return folder(toPosix(resolve(cwd, text)))
}

function folder(path: string): UnpinnedAddress {
  return { kind: "file", user: null, host: "", port: null, path }
}

const MAX_CHARACTERS = 1000
const EXAMPLES =
  "write https://host/owner/name, git@host:owner/name, ssh://host/path, or a folder; #branch may follow"

/** The message never repeats the address, because it may contain a password. */
function refuse(why: string, hint = EXAMPLES): AmanError {
  return new AmanError("USAGE", `not the address of a repository: ${why}`, { hint })
}

/** Refuses texts that are never an address: an option, another transport of git, unprintable characters. */
function checkText(text: string): void {
  if (text === "") throw refuse("it is empty")
  if (text.length > MAX_CHARACTERS) throw refuse(`it is longer than ${MAX_CHARACTERS} characters`)
  if (text.startsWith("-")) throw refuse("it starts with a dash, which git reads as an option")
  if (/^[a-z0-9+.-]*::/i.test(text)) {
    throw refuse("git's remote helpers (ext::, fd:: …) run programs and are not allowed")
  }
  if (!text.isWellFormed() || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text))
    throw refuse("it contains control characters")
}

type Host = { readonly user: string | null; readonly host: string; readonly port: number | null }

// As in ~/.ssh/config, where a host can have almost any name; an IPv6 address is in brackets.
const HOST = /^(?:[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?|\[[0-9a-f:.]+\])$/i
const USER = /^[a-z0-9_][a-z0-9_.+~%-]*$/i
// Access tokens that services issue instead of passwords.
const TOKEN =
  /^(?:gh[a-z]_|github_pat_|glpat-|x-(?:token-auth|oauth-basic|access-token)$|oauth2$|ATBB)|^.{41,}$/i

/**
 * "user@host:port", each part checked. A password is refused, because it would have to be stored and could be
 * printed.
 */
function splitHost(authority: string, scheme: string): Host {
  const at = authority.lastIndexOf("@")
  const [user = null, password] = at < 0 ? [] : authority.slice(0, at).split(/:(.*)/s, 2)
  if (password !== undefined || (scheme !== "ssh" && user !== null && TOKEN.test(user))) throw credentials()
  if (user !== null && !USER.test(user)) throw refuse("its user name is invalid")
  const [, host = "", digits] = /^(.*?)(?::(\d*))?$/s.exec(authority.slice(at + 1))!
  if (!HOST.test(host)) throw refuse("its host name is invalid")
  return { user, host: scheme === "ssh" ? host : host.toLowerCase(), port: portOf(digits) }
}

function credentials(): AmanError {
  return refuse(
    "it contains a password or token, which aman never stores or shows",
    "remove it, and use git's credential helper or ssh",
  )
}

function portOf(digits: string | undefined): number | null {
  if (digits === undefined) return null
  const port = Number(digits)
  if (digits === "" || port < 1 || port > 65_535) throw refuse("its port is not a number from 1 to 65535")
  return port
}

/** The path without slashes at its end; throws USAGE if it is not valid. */
function checkPath(path: string, form: "url" | "scp" | "folder"): string {
  const clean = path.replace(/(?<=[^/])\/+$/, "")
  if (form === "folder") return clean
  if (form === "scp" && /^[^/]*@[^/]*:/.test(clean)) throw credentials()
  if (clean === "" || clean === "/") throw refuse("it has no repository path")
  if (clean.startsWith("-")) throw refuse("its path starts with a dash, which git reads as an option")
  if (/[\s\\?#]/.test(clean))
    throw refuse("its path contains blanks, a backslash, ? or #", "write them as %20, %3f …")
  if (clean.split("/").some((part) => part === "." || part === ".."))
    throw refuse("its path contains . or ..")
  return clean
}

/** Follows git-check-ref-format(1), and refuses anything that git could read as more than one name. */
function checkRef(ref: string): string {
  const isName =
    ref.length <= 200 &&
    !/[\s~^:?*[\\#\p{C}]|\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)/u.test(ref) &&
    !/^[-+./@]|[./]$|^$/.test(ref)
  if (isName) return ref
  throw refuse("the text after # is not the name of a branch or tag")
}
