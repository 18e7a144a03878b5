import { relative } from "node:path"
import { toPosix } from "../base/paths.ts"
import { runGit } from "./run/run.ts"
import { readTrackedFiles } from "./tracked-files.ts"
import { findWorkTree } from "./work-tree.ts"

export type SeenFile = { readonly path: string; readonly size: number; readonly mtimeMs: number }

/** Those of the given files (relative to `root`) that are new or differ from git's index. Does not run git. */
export function filesNotCommitted<T extends SeenFile>(root: string, files: readonly T[]): T[] {
  const workTree = findWorkTree(root)
  const tracked = workTree && readTrackedFiles(workTree)
  if (!workTree || !tracked) return []
  const way = toPosix(relative(workTree.top, root))
  const prefix = way === "" ? "" : `${way}/`
  const uncommitted = new Map(files.map((file) => [prefix + file.path, file]))
  tracked.each((path, size, mtimeMs) => {
    const file = uncommitted.get(path)
    // git's index has 32 bits for a size.
    if (file && file.size % 2 ** 32 === size && isSameTime(file.mtimeMs, mtimeMs)) uncommitted.delete(path)
  })
  return [...uncommitted.values()]
}

/** True if a file's time is the one in git's index. Fractions of a second are ignored if git has not stored them. */
function isSameTime(mtimeMs: number, indexedMs: number): boolean {
  if (Math.abs(mtimeMs - indexedMs) < 1) return true
  return indexedMs % 1000 === 0 && Math.floor(mtimeMs / 1000) * 1000 === indexedMs
}

const COMMITS = 50
// Limits for one call of git. A commit with more output than this says nothing about what a person is working on.
const LIMITS = { timeoutMs: 2_000, maxBytes: 1024 * 1024 }

/** Paths that the latest commits changed, relative to `root`, newest commit first; empty if git fails. */
export async function recentlyCommitted(root: string): Promise<string[]> {
  if (findWorkTree(root) === null) return []
  // A failure of git is ignored, because the paths only affect the order in which files are read.
  const log = await runGit(
    [
      // The first commit, and the oldest commit of a shallow clone, are left out, because they touch every file.
      ...["-c", "log.showRoot=false", "log", `--max-count=${COMMITS}`, "--no-merges", "--format="],
      ...[
        "--name-only",
        "-z",
        "--relative",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
        "--diff-filter=d",
      ],
    ],
    { cwd: root, ...LIMITS },
  ).catch(() => null)
  return log?.ok ? [...new Set(log.stdout.split("\0").filter(Boolean))] : []
}
