import { basename, dirname, join, relative } from "node:path"
import { resolvedOr, toPosix } from "../../base/paths.ts"
import { isOwnedWorkTree } from "../../git/owned-work-tree.ts"
import { remoteOf, rootCommit } from "../../git/repository-identity.ts"
import type { GitFailure } from "../../git/run/run.ts"
import { findWorkTree, type WorkTree } from "../../git/work-tree.ts"

/** The repository that contains a project's folder, and the folder's place in it. */
export type Repository = {
  readonly workTree: WorkTree
  /**
   * Path from the top of the work tree to the folder, with "/"; "" for the top. Each such folder is a
   * project.
   */
  readonly way: string
}

/**
 * The repository of a folder; null outside of repositories, or when the one named in `.git` does not confirm
 * it.
 */
export function repositoryOf(root: string): Repository | null {
  const workTree = findWorkTree(root)
  if (workTree === null || !isOwnedWorkTree(workTree)) return null
  return { workTree, way: toPosix(relative(workTree.top, root)) }
}

export function remoteMark({ workTree, way }: Repository): string | null {
  const remote = remoteOf(workTree)
  return remote && withWay(remote, way)
}

/** The mark for the repository's first commit. When git fails, the mark is null and `failure` says why. Runs git. */
export async function rootCommitMark({
  workTree,
  way,
}: Repository): Promise<{ mark: string | null; failure: GitFailure | null }> {
  const { commit, failure } = await rootCommit(workTree)
  return { mark: commit && withWay(commit, way), failure }
}

/** Path of the same folder in the main work tree; null when this is the main work tree or it is unknown. */
export function mainFolder({ workTree, way }: Repository): string | null {
  const { kind, commonDir } = workTree
  if (kind !== "linked" || basename(commonDir) !== ".git") return null
  return join(resolvedOr(dirname(commonDir)), way)
}

/** True when a folder is the same subfolder of another work tree of the same repository. */
export function isSameRepository(one: Repository | null, folder: string): boolean {
  const other = one && repositoryOf(folder)
  return (
    other !== null &&
    one?.way === other.way &&
    resolvedOr(one.workTree.commonDir) === resolvedOr(other.workTree.commonDir)
  )
}

function withWay(mark: string, way: string): string {
  return way === "" ? mark : `${mark}//${way}`
}
