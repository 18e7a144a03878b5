import { isAbsolute, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { toPosix } from "../base/paths.ts"
import { checkPath, checkRef, checkText, refuse, splitHost } from "./check-address.ts"

/** Where a repository is fetched from. Two addresses that are written alike after `formatAddress` are the same. */
export type Address = {
  readonly kind: "https" | "http" | "git" | "ssh" | "scp" | "file"
  readonly user: string | null
  /** "" for a folder of this machine. */
  readonly host: string
  /** Null for the usual one. */
  readonly port: number | null
  /** With a leading "/", but for what scp's form leaves relative to the user's home there. */
  readonly path: string
  /** A branch or a tag; null for whatever the repository's HEAD names. */
  readonly ref: string | null
}

export type AddressPlace = {
  /** What a relative path is relative to; null where none is taken. */
  readonly cwd: string | null
  /** What "~/" means. */
  readonly home: string
}

const USUAL_PORTS = { https: 443, http: 80, git: 9418, ssh: 22 } as const

/** What somebody wrote: a URL, scp's form, or a folder; "#ref" behind it names a branch or a tag. Throws USAGE. */
export function parseAddress(written: string, place: AddressPlace): Address {
  const text = written.trim()
  checkText(text)
  const hash = text.lastIndexOf("#")
  const ref = hash < 0 ? null : checkRef(text.slice(hash + 1))
  const where = hash < 0 ? text : text.slice(0, hash)
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(where)?.[1]?.toLowerCase()
  if (scheme !== undefined) return { ...parseUrl(scheme, where), ref }
  return { ...(parseFolder(where, place) ?? parseScp(where) ?? parseRelative(where, place)), ref }
}

/** The one way an address is written; `parseAddress` reads it back. */
export function formatAddress(address: Address): string {
  return `${fetchAddress(address)}${address.ref === null ? "" : `#${address.ref}`}`
}

/** What git is told to fetch from. */
export function fetchAddress({ kind, user, host, port, path }: Address): string {
  // A "#" in a path would be taken for the end of it.
  if (kind === "file") return path.includes("#") ? pathToFileURL(path).href : path
  const name = user === null ? "" : `${user}@`
  if (kind === "scp") return `${name}${host}:${path}`
  return `${kind}://${name}${host}${port === null ? "" : `:${port}`}${path}`
}

/** How people and agents call it: "github.com/owner/name", or the folder. */
export function nameOf({ kind, host, port, path, ref }: Address): string {
  const branch = ref === null ? "" : `#${ref}`
  if (kind === "file") return `${path}${branch}`
  const where = path.replace(/^\/+/, "").replace(/(?<=[^/])\.git$/i, "")
  return `${host.toLowerCase()}${port === null ? "" : `:${port}`}/${where}${branch}`
}

type Place = Omit<Address, "ref">

function parseUrl(scheme: string, text: string): Place {
  if (scheme === "file") return parseFileUrl(text)
  if (!isKnown(scheme)) throw refuse(`git's ${scheme}:// is not among what aman clones from`)
  const [, authority, path] = /^[^/]+:\/\/([^/]*)(.*)$/s.exec(text)!
  const { user, host, port } = splitHost(authority!, scheme)
  const isUsual = port === USUAL_PORTS[scheme]
  return { kind: scheme, user, host, port: isUsual ? null : port, path: checkPath(path!, "url") }
}

function isKnown(scheme: string): scheme is keyof typeof USUAL_PORTS {
  return Object.hasOwn(USUAL_PORTS, scheme)
}

function parseFileUrl(text: string): Place {
  try {
    const path = toPosix(fileURLToPath(text.replace(/^file:/i, "file:")))
    return folder(checkPath(path, "folder"))
  } catch {
    throw refuse(
      "this file:// address names no folder of this machine",
      "write file:///folder, or the folder",
    )
  }
}

/** "/srv/x", "~/x", "./x", "../x"; drives on Windows. Null for what is none. */
function parseFolder(text: string, { cwd, home }: AddressPlace): Place | null {
  if (text.startsWith("~/") && home !== "") return folder(toPosix(resolve(home, text.slice(2))))
  if (isAbsolute(text)) return folder(toPosix(resolve(text)))
  if (!/^\.{1,2}(?:[\\/]|$)/.test(text)) return null
  if (cwd === null) throw refuse("a folder has to be written in full here", "begin it with / or ~/")
  return folder(toPosix(resolve(cwd, text)))
}

/** "git@host:owner/name": what has a colon before any slash. */
function parseScp(text: string): Place | null {
  const [, authority, path] = /^((?:[^/:[\]]*@)?(?:\[[^\]]*\]|[^/:[\]]+)):(.*)$/s.exec(text) ?? []
  if (authority === undefined || path === undefined) return null
  const { user, host } = splitHost(authority, "ssh")
  return { kind: "scp", user, host, port: null, path: checkPath(path, "scp") }
}

function parseRelative(text: string, { cwd }: AddressPlace): Place {
  if (/^[\w-]+(?:\.[\w-]+)+\/./.test(text)) {
    throw refuse("this is neither an address nor a folder", `did you mean https://${text}?`)
  }
  if (cwd === null) throw refuse("this is neither an address nor a folder written in full")
  return folder(toPosix(resolve(cwd, text)))
}

function folder(path: string): Place {
  return { kind: "file", user: null, host: "", port: null, path }
}
