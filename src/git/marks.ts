import { existsSync } from "node:fs"
import { join } from "node:path"
import { parseGitConfig, readSmallFile } from "./config-file.ts"
import { normalRemote } from "./remote-url.ts"
import { type GitFailure, isCommitId, runGit } from "./run.ts"
import type { WorkTree } from "./work-tree.ts"

/** The first commit of what is checked out, by its first parents: an import of another history does not change it. */
export type RootCommit = { readonly commit: string | null; readonly failure: GitFailure | null }

const LIMITS = { timeoutMs: 2000, maxBytes: 64 * 1024 }

/** Null before the first commit, and in a shallow clone, where history only seems to begin. */
export async function rootCommit({ top, commonDir }: WorkTree): Promise<RootCommit> {
  if (existsSync(join(commonDir, "shallow"))) return { commit: null, failure: null }
  const found = await runGit(["rev-list", "--first-parent", "--max-parents=0", "HEAD", "--"], {
    cwd: top,
    ...LIMITS,
  })
  // It fails where there is no commit yet.
  if (!found.ok) return { commit: null, failure: found.reason === "failed" ? null : found.reason }
  const commit = found.stdout.trim()
  return { commit: isCommitId(commit) ? commit : null, failure: null }
}

/** Where the repository comes from: its remote "origin", else its only one; normalised. */
export function remoteOf({ commonDir, top }: WorkTree): string | null {
  const urls = new Map<string, string>()
  for (const [name, value] of parseGitConfig(readSmallFile(join(commonDir, "config")) ?? "")) {
    const remote = /^remote\.(.+)\.url$/s.exec(name)?.[1]
    if (remote !== undefined && !urls.has(remote)) urls.set(remote, value)
  }
  const url = urls.get("origin") ?? (urls.size === 1 ? [...urls.values()][0]! : null)
  return url === null ? null : normalRemote(url, top)
}
