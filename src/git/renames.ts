import { type GitFailure, isCommitId, runGit } from "./run/run.ts"

export type Rename = {
  /** Current path of the file, relative to the top of the work tree; null if git finds no rename. */
  readonly path: string | null
  /** Why git failed; null if it did not. */
  readonly failure: GitFailure | null
}

/** Maximum number of renames that are followed one after the other. */
const MAX_RENAMES = 20
const LIMITS = { timeoutMs: 2000, maxBytes: 8 * 1024 * 1024 }
// If more files than this were deleted and added, git pairs only files with equal content or the same name.
const RENAME_LIMIT = "-l1000"
const DIFF_TREE = [
  ...["diff-tree", "-r", "-m", "-z", "-M", RENAME_LIMIT, "--no-ext-diff", "--no-textconv"],
  ...["--no-commit-id", "--name-status", "--diff-filter=R"],
]

/**
 * Finds the current path of a file that no longer exists at its path in `commit`, from the commits since then. If that
 * commit does not exist, or is no ancestor of HEAD, it follows the commits in which the path was deleted.
 */
export async function renamedTo(
  top: string,
  path: string,
  commit: string | null,
  exists: (path: string) => boolean,
): Promise<Rename> {
  const since = commit !== null && isCommitId(commit) ? commit : null
  const atOnce = since === null ? null : await renamesBetween(top, [since, "HEAD"])
  if (typeof atOnce === "string" && atOnce !== "failed") return { path: null, failure: atOnce }
  const target = atOnce instanceof Map ? atOnce.get(path) : undefined
  return target !== undefined && exists(target)
    ? { path: target, failure: null }
    : stepByStep(top, path, exists)
}

async function stepByStep(top: string, path: string, exists: (path: string) => boolean): Promise<Rename> {
  let at = path
  for (let step = 0; step < MAX_RENAMES; step++) {
    const last = await runGit(["rev-list", "--max-count=1", "HEAD", "--", at], { cwd: top, ...LIMITS })
    if (!last.ok) return { path: null, failure: last.reason }
    const commit = last.stdout.trim()
    if (!isCommitId(commit)) return { path: null, failure: null }
    const renames = await renamesBetween(top, [commit])
    if (typeof renames === "string") return { path: null, failure: renames }
    const next = renames.get(at)
    if (next === undefined) return { path: null, failure: null }
    if (exists(next)) return { path: next, failure: null }
    at = next
  }
  return { path: null, failure: null }
}

/** Maps old paths to new ones, for renames between two commits or in one commit. */
async function renamesBetween(
  top: string,
  commits: readonly string[],
): Promise<Map<string, string> | GitFailure> {
  const output = await runGit([...DIFF_TREE, ...commits, "--"], { cwd: top, ...LIMITS })
  if (!output.ok) return output.reason
  const fields = output.stdout.split("\0")
  const renames = new Map<string, string>()
  for (let at = 0; at + 2 < fields.length; at += 3) renames.set(fields[at + 1]!, fields[at + 2]!)
  return renames
}
