import { lstatSync } from "node:fs"
import { join, relative } from "node:path"
import { toPosix } from "../base/paths.ts"
import { readTrackedFiles } from "./tracked-files.ts"
import { findWorkTree } from "./work-tree.ts"

/** Files below `root` that git tracks and that somebody removed; not what a sparse checkout leaves out. Git is not run. */
export function unlinkedFiles(root: string): string[] {
  const workTree = findWorkTree(root)
  const tracked = workTree && readTrackedFiles(workTree)
  if (!workTree || !tracked) return []
  const way = toPosix(relative(workTree.top, root))
  const prefix = way === "" ? "" : `${way}/`
  const unlinked: string[] = []
  tracked.each((path, _size, _mtimeMs, isLeftOut) => {
    if (isLeftOut || !path.startsWith(prefix)) return
    const own = path.slice(prefix.length)
    if (!isThere(root, own)) unlinked.push(own)
  })
  return unlinked
}

/** A link is there, wherever it leads. */
export function isThere(root: string, path: string): boolean {
  try {
    return lstatSync(join(root, path), { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    // A file stands where a folder was; for what may not be looked at nobody knows that it is gone.
    return (error as NodeJS.ErrnoException).code !== "ENOTDIR"
  }
}
