import { relative } from "node:path"
import { log } from "../base/log.ts"
import { toPosix } from "../base/paths.ts"
import { headCommit } from "../git/head-commit.ts"
import { findWorkTree } from "../git/work-tree.ts"
import type { Store } from "../store/index/store.ts"
import { packCommits } from "./packed-commits.ts"
import { readCommits } from "./read-commits.ts"

/**
 * Stores the past commits of the checked-out one, unless the index has them already; removes them outside of a work
 * tree. If git fails, the index has no commits, and tasks are ranked without them. `check` is called before the index is
 * changed and throws if it may not be.
 */
export async function refreshHistory(root: string, store: Store, check: () => void): Promise<void> {
  const head = checkedOut(root)
  if ((head?.source ?? null) === store.history.source()) return
  const commits = head === null ? [] : await readCommits(root, head.commit)
  check()
  if (head === null) return store.transaction(() => store.history.clear())
  const failure = typeof commits === "string" ? commits : null
  const read = typeof commits === "string" ? [] : commits
  log.debug("read the history", { commits: read.length, failure })
  store.transaction(() => store.history.set({ source: head.source, commits: packCommits(read), failure }))
}

/** The commit that is checked out. `source` also has the project's folder in the work tree; null if there is none. */
function checkedOut(root: string): { readonly commit: string; readonly source: string } | null {
  const workTree = findWorkTree(root)
  const commit = workTree && headCommit(workTree)
  return commit === null ? null : { commit, source: `${commit}:${toPosix(relative(workTree!.top, root))}` }
}
