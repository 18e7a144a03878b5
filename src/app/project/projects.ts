import { existsSync, statSync } from "node:fs"
import { resolve } from "node:path"
import { AmanError } from "../../base/errors.ts"
import { resolvedOr } from "../../base/paths.ts"
import { indexFolderSize, indexPath } from "../../index/index-folder.ts"
import type { IndexEntry } from "../../store/registry.ts"
import { openRegistry } from "../index/index-trust.ts"
import { isForeignIndex } from "../index/own-index-dir.ts"
import { type RemovedIndex, removeIndex } from "../index/remove-index.ts"

export type ListedProject = {
  readonly root: string
  readonly index_dir: string
  /** "gone": the project's folder is no longer there, only its index is. */
  readonly state: "ready" | "gone"
  readonly index_bytes: number
  readonly created: string
  /** Time of the index's last change, ISO 8601; null if its file is missing. */
  readonly last_changed: string | null
}

/** Projects that this user's aman keeps an index for; with `only`, the one at that root. */
export function listProjects(only?: string): ListedProject[] {
  return keptIndexes(only).map(listedProject)
}

/**
 * Registered indexes, with `only` those of that root; entries whose index is missing or belongs to another user are
 * dropped from the registry.
 */
function keptIndexes(only?: string): IndexEntry[] {
  const registry = openRegistry()
  const entries = registry.all().filter(({ root }) => only === undefined || root === only)
  return entries.filter(({ dir }) => {
    const isKept = existsSync(indexPath(dir)) && !isForeignIndex(dir, registry)
    if (!isKept) registry.remove(dir)
    return isKept
  })
}

function listedProject({ root, dir, created }: IndexEntry): ListedProject {
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

/** Removes the indexes of the project at that root, which need not exist any more; with `only`, no other root's. */
export function removeProject(root: string, cwd: string, only?: string): RemovedIndex[] {
  const wanted = new Set([resolve(cwd, root), resolvedOr(resolve(cwd, root))])
  const entries = keptIndexes(only).filter((entry) => wanted.has(entry.root))
  if (entries.length > 0) return entries.map(({ root: at, dir }) => removeIndex({ root: at, dir }))
  throw new AmanError("NOT_FOUND", `no index is known for ${resolve(cwd, root)}`, {
    hint: "see: aman projects list",
  })
}
