import { existsSync } from "node:fs"
import { isAbsolute, join, resolve } from "node:path"
import { toPosix } from "../base/paths.ts"
import { parseGitConfig, readSmallFile } from "./config-file.ts"
import { headCommit } from "./head-commit.ts"
import { type GitFailure, isCommitId, runGit } from "./run/run.ts"
import type { WorkTree } from "./work-tree.ts"

/** The oldest commit on the checked-out branch, along first parents. Merging another history does not change it. */
export type RootCommit = { readonly commit: string | null; readonly failure: GitFailure | null }

const LIMITS = { timeoutMs: 2000, maxBytes: 64 * 1024 }

/**
 * Finds the oldest commit. `commit` is null if there is no commit yet, and in a shallow clone, whose history is cut
 * off.
 */
export async function rootCommit(workTree: WorkTree): Promise<RootCommit> {
  const { top, commonDir } = workTree
  if (existsSync(join(commonDir, "shallow"))) return { commit: null, failure: null }
  const output = await runGit(["rev-list", "--first-parent", "--max-parents=0", "HEAD", "--"], {
    cwd: top,
    ...LIMITS,
  })
  // git fails if there is no commit yet. This is not reported as a failure.
  const isEmpty = !output.ok && output.reason === "failed" && headCommit(workTree) === null
  if (!output.ok) return { commit: null, failure: isEmpty ? null : output.reason }
  const commit = output.stdout.trim()
  return { commit: isCommitId(commit) ? commit : null, failure: null }
}

/**
 * The normalized address of the repository: that of its remote "origin", else of its only remote; null if there is
 * none.
 */
export function remoteOf({ commonDir, top }: WorkTree): string | null {
  const urls = new Map<string, string>()
  for (const [name, value] of parseGitConfig(readSmallFile(join(commonDir, "config")) ?? "")) {
    const remote = /^remote\.(.+)\.url$/s.exec(name)?.[1]
    if (remote !== undefined && !urls.has(remote)) urls.set(remote, value)
  }
  const url = urls.get("origin") ?? (urls.size === 1 ? [...urls.values()][0]! : null)
  return url === null ? null : normalRemote(url, top)
}

/**
 * The normalized address of a repository, such as "github.com/owner/name": without scheme, user, password, default port
 * and ".git". The address of a folder on this machine is "file:" and its path.
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
  if (protocol === "file:") return `file:${withoutEnd(decodePath(pathname))}`
  const isUsual = port === "" || USUAL_PORTS.has(`${protocol}${port}`)
  return `${hostname.toLowerCase()}${isUsual ? "" : `:${port}`}/${withoutStart(withoutEnd(decodePath(pathname)))}`
}

const USUAL_PORTS: ReadonlySet<string> = new Set(["ssh:22", "git:9418", "http:80", "https:443"])

/**
 * Converts "git@host:owner/name" to a URL. A colon after a slash, or after the letter of a Windows drive, is part of a
 * path; then null.
 */
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

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
