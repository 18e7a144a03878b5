import { isAbsolute, resolve } from "node:path"
import { toPosix } from "../base/paths.ts"

/**
 * The address of a repository in the one form that its spellings share, as "github.com/owner/name": without scheme,
 * user, password, usual port and ".git". A folder of this machine is "file:" and its path.
 */
export function normalRemote(url: string, folder: string): string | null {
  const text = url.trim()
  if (text === "") return null
  const address = asUrl(text) ?? asScp(text)
  return address ?? `file:${withoutEnd(toPosix(isAbsolute(text) ? text : resolve(folder, text)))}`
}

function asUrl(text: string): string | null {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text) || !URL.canParse(text)) return null
  const { protocol, hostname, port, pathname } = new URL(text)
  if (protocol === "file:") return `file:${withoutEnd(decoded(pathname))}`
  const isUsual = port === "" || USUAL_PORTS.has(`${protocol}${port}`)
  return `${hostname.toLowerCase()}${isUsual ? "" : `:${port}`}/${withoutStart(withoutEnd(decoded(pathname)))}`
}

const USUAL_PORTS: ReadonlySet<string> = new Set(["ssh:22", "git:9418", "http:80", "https:443"])

/** "git@host:owner/name"; a colon after a slash, or after a drive's letter, is part of a path. */
function asScp(text: string): string | null {
  const [, host, path] = /^(?:[^@/\\:]+@)?(\[[^\]]+\]|[^/\\:]{2,}):(?!\/\/)(.+)$/s.exec(text) ?? []
  return host === undefined || path === undefined
    ? null
    : `${host.toLowerCase()}/${withoutStart(withoutEnd(path))}`
}

function withoutEnd(path: string): string {
  return path.replace(/[\\/]+$/, "").replace(/(?<=[^\\/])\.git$/i, "")
}

function withoutStart(path: string): string {
  return path.replace(/^\/+/, "")
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
