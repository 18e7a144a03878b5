import { LRUCache } from "lru-cache"
import { headCommit } from "../../git/head-commit.ts"
import { filesNotCommitted } from "../../git/lately.ts"
import { type LineChange, lineHistory, recentSince } from "../../git/line-history.ts"
import { findWorkTree } from "../../git/work-tree.ts"
import { oneLine } from "../../text/one-line.ts"
import type { FoundFile } from "./found.ts"

const MOST_CHANGES = 3
const LONGEST_CHANGE = 100

/** Of lines of a commit: neither ever changes. */
const known = new LRUCache<string, Promise<readonly LineChange[]>>({ max: 500 })
const boundaries = new LRUCache<string, Promise<string | null | undefined>>({ max: 20 })

/** The latest commits of each file's best place, a line each; empty where git does not say. */
export async function recentChanges(files: readonly FoundFile[]): Promise<readonly string[][]> {
  return Promise.all(files.map(changesOf))
}

async function changesOf(file: FoundFile): Promise<string[]> {
  const { root } = file.project
  const workTree = findWorkTree(root)
  const head = workTree === null ? null : headCommit(workTree)
  const row = file.graph.store.files.byPath(file.path)
  if (head === null || row === null) return []
  // Lines of a file that was edited are not those of the commit.
  if (filesNotCommitted(root, [{ path: row.path, size: row.size, mtimeMs: row.mtimeMs }]).length > 0)
    return ["edited since the last commit"]
  const since = await remembered(boundaries, `${root}\0${head}`, () => recentSince(root, head))
  if (since === undefined) return []
  const { startLine, endLine } = file.best
  const place = { path: file.path, startLine, endLine }
  const changes = await remembered(known, [root, head, file.path, startLine, endLine].join("\0"), () =>
    lineHistory(root, place, { head, since, limit: MOST_CHANGES }),
  )
  // Where all of the past was looked at, the first of them made the lines.
  const isMaking = since === null && changes.length < MOST_CHANGES
  return changes
    .slice(0, isMaking ? -1 : undefined)
    .map(({ date, commit, subject }) => oneLine(`${date} ${commit} ${subject}`, LONGEST_CHANGE))
}

function remembered<T>(cache: LRUCache<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  let found = cache.get(key)
  if (found === undefined) {
    found = make()
    cache.set(key, found)
  }
  return found
}
