import { AmanError } from "../base/errors.ts"

const MOST_CHARACTERS = 1000
const EXAMPLES =
  "write https://host/owner/name, git@host:owner/name, ssh://host/path, or a folder; #branch may follow"

/** The address itself is never repeated: it may hold a password. */
export function refuse(why: string, hint = EXAMPLES): AmanError {
  return new AmanError("USAGE", `not an address of a repository: ${why}`, { hint })
}

/** What no address may be, whatever its form: an option, another transport of git's, something unprintable. */
export function checkText(text: string): void {
  if (text === "") throw refuse("it is empty")
  if (text.length > MOST_CHARACTERS) throw refuse(`it is longer than ${MOST_CHARACTERS} characters`)
  if (text.startsWith("-")) throw refuse("it begins with a dash, which git would take for an option")
  if (/^[a-z0-9+.-]*::/i.test(text)) {
    throw refuse("git's remote helpers (ext::, fd:: …) run programs and are never used")
  }
  if (!text.isWellFormed() || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text))
    throw refuse("it holds control characters")
}

export type Host = { readonly user: string | null; readonly host: string; readonly port: number | null }

// As in ~/.ssh/config, where a host may be called anything; an IPv6 address stands in brackets.
const HOST = /^(?:[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?|\[[0-9a-f:.]+\])$/i
const USER = /^[a-z0-9_][a-z0-9_.+~%-]*$/i
// What a service hands out to stand for a password.
const TOKEN =
  /^(?:gh[a-z]_|github_pat_|glpat-|x-(?:token-auth|oauth-basic|access-token)$|oauth2$|ATBB)|^.{41,}$/i

/** "user@host:port", each part checked. A password is refused: it would have to be kept and could be printed. */
export function splitHost(authority: string, scheme: string): Host {
  const at = authority.lastIndexOf("@")
  const [user = null, password] = at < 0 ? [] : authority.slice(0, at).split(/:(.*)/s, 2)
  if (password !== undefined || (scheme !== "ssh" && user !== null && TOKEN.test(user))) throw credentials()
  if (user !== null && !USER.test(user)) throw refuse("its user is no name")
  const [, host = "", digits] = /^(.*?)(?::(\d*))?$/s.exec(authority.slice(at + 1))!
  if (!HOST.test(host)) throw refuse("its host is no name")
  return { user, host: scheme === "ssh" ? host : host.toLowerCase(), port: portOf(digits) }
}

function credentials(): AmanError {
  return refuse(
    "it holds a password or a token, which aman neither keeps nor shows",
    "leave it out, and let git's credential helper or ssh answer for you",
  )
}

function portOf(digits: string | undefined): number | null {
  if (digits === undefined) return null
  const port = Number(digits)
  if (digits === "" || port < 1 || port > 65_535) throw refuse("its port is no number from 1 to 65535")
  return port
}

/** Without slashes at its end. */
export function checkPath(path: string, form: "url" | "scp" | "folder"): string {
  const clean = path.replace(/(?<=[^/])\/+$/, "")
  if (form === "folder") return clean
  if (form === "scp" && /^[^/]*@[^/]*:/.test(clean)) throw credentials()
  if (clean === "" || clean === "/") throw refuse("it names no repository on its host")
  if (clean.startsWith("-")) throw refuse("its path begins with a dash, which git would take for an option")
  if (/[\s\\?#]/.test(clean))
    throw refuse("its path holds blanks, a backslash, ? or #", "write them as %20, %3f …")
  if (clean.split("/").some((part) => part === "." || part === "..")) throw refuse("its path holds . or ..")
  return clean
}

/** git-check-ref-format(1), and nothing that git could read as more than one name. */
export function checkRef(ref: string): string {
  const isName =
    ref.length <= 200 &&
    !/[\s~^:?*[\\#\p{C}]|\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)/u.test(ref) &&
    !/^[-+./@]|[./]$|^$/.test(ref)
  if (isName) return ref
  throw refuse("what follows # is no name of a branch or tag")
}
