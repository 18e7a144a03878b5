import { realpathSync } from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import { toPosix } from "../../base/paths.ts"
import { remoteOf, rootCommit } from "../../git/marks.ts"
import type { GitFailure } from "../../git/run.ts"
import { findWorkTree, type WorkTree } from "../../git/work-tree.ts"

/** The repository that a project's folder lies in, as far as it tells the project from others. */
export type Repository = {
  readonly workTree: WorkTree
  /** From the top of the work tree to the folder, with "/"; "" where they are the same: each part is a project. */
  readonly way: string
}

export function repositoryOf(root: string): Repository | null {
  const workTree = findWorkTree(root)
  return workTree && { workTree, way: toPosix(relative(workTree.top, root)) }
}

export function remoteMark({ workTree, way }: Repository): string | null {
  const remote = remoteOf(workTree)
  return remote && withWay(remote, way)
}

/** Runs git. */
export async function rootCommitMark({
  workTree,
  way,
}: Repository): Promise<{ mark: string | null; failure: GitFailure | null }> {
  const { commit, failure } = await rootCommit(workTree)
  return { mark: commit && withWay(commit, way), failure }
}

/** The same folder in the main work tree; null where this is in that one, or it cannot be known. */
export function mainFolder({ workTree, way }: Repository): string | null {
  const { kind, commonDir } = workTree
  if (kind !== "linked" || basename(commonDir) !== ".git") return null
  return join(realOr(dirname(commonDir)), way)
}

/** Whether a folder is the same part of the same repository, in another work tree of it. */
export function isSameRepository(one: Repository | null, folder: string): boolean {
  const other = one && repositoryOf(folder)
  return (
    other !== null &&
    one?.way === other.way &&
    realOr(one.workTree.commonDir) === realOr(other.workTree.commonDir)
  )
}

function withWay(mark: string, way: string): string {
  return way === "" ? mark : `${mark}//${way}`
}

function realOr(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
