import { existsSync, realpathSync, statSync } from "node:fs"
import { resolve } from "node:path"
import { AmanError } from "../base/errors.ts"
import { indexFolderSize, indexPath } from "../indexing/index-folder.ts"
import type { IndexEntry } from "../store/registry.ts"
import { openRegistry } from "./index-trust.ts"
import { isTheirs } from "./own-index-dir.ts"
import { type RemovedIndex, removeIndex } from "./remove-index.ts"

export type ListedProject = {
  readonly root: string
  readonly index_dir: string
  /** "gone": the project's folder is no longer there, only its index is. */
  readonly state: "ready" | "gone"
  readonly index_bytes: number
  readonly created: string
  /** When its index last changed. */
  readonly last_changed: string | null
}

/** The projects whose indexes this user's aman keeps, by root. */
export function listProjects(): ListedProject[] {
  return keptIndexes().map(listed)
}

/** Those whose index is gone, or somebody else's by now, are forgotten. */
function keptIndexes(): IndexEntry[] {
  const registry = openRegistry()
  return registry.all().filter(({ dir }) => {
    const isKept = existsSync(indexPath(dir)) && !isTheirs(dir, registry)
    if (!isKept) registry.remove(dir)
    return isKept
  })
}

function listed({ root, dir, created }: IndexEntry): ListedProject {
  const changed = statSync(indexPath(dir), { throwIfNoEntry: false })?.mtime
  return {
    root,
    index_dir: dir,
    state: existsSync(root) ? "ready" : "gone",
    index_bytes: indexFolderSize(dir).bytes,
    created,
    last_changed: changed?.toISOString() ?? null,
  }
}

/** Removes the indexes of the project at that root; one of a root that is gone, too. */
export function removeProject(root: string, cwd: string): RemovedIndex[] {
  const wanted = new Set([resolve(cwd, root), realPath(resolve(cwd, root))])
  const entries = keptIndexes().filter((entry) => wanted.has(entry.root))
  if (entries.length > 0) return entries.map(({ root: at, dir }) => removeIndex({ root: at, dir }))
  throw new AmanError("NOT_FOUND", `no index of ${resolve(cwd, root)} is known`, {
    hint: "aman projects list names them",
  })
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
