import { lstatSync } from "node:fs"
import { join } from "node:path"
import { type Look, lookAt } from "../indexing/look.ts"
import { want } from "../indexing/wanted.ts"
import type { Store } from "../store/store.ts"
import type { Project } from "./open-project.ts"

// A leader asks itself twice a second whether it is wanted; an edit is indexed in a few dozen milliseconds.
const PATIENCE_MS = 3_000

type Stamp = { readonly size: number; readonly mtimeMs: number }
/** A file as it is on disk and not yet in the index; null where it is gone. */
type Edit = { readonly path: string; readonly now: Stamp | null }

/**
 * Asks the process that leads to bring the index up to date with edits that it may not have seen, and to read suspects
 * again, whatever they look like; edits that come later are not waited for. The answer tells whether it has, or had its
 * time: then what is stale is left out of answers. Costs one look at the files where nothing changed.
 */
export function askLeader(
  { root, config }: Project,
  store: Store,
  suspects: readonly string[] = [],
): () => boolean {
  let edits = editsIn(lookAt(root, config, store, true), store)
  const areRead = readAgain((path) => store.files.byPath(path)?.id, suspects)
  const isDone = () => {
    edits = edits.filter((edit) => isLacking(edit, root, store))
    return (edits.length === 0 && areRead()) || performance.now() > until
  }
  const until = performance.now() + PATIENCE_MS
  if (!isDone()) want(config.index.dir, new Date(), suspects)
  return isDone
}

/** Tells whether each of these was read anew, which gives it another id, or is not in the index any more. */
export function readAgain(
  idOf: (path: string) => number | undefined,
  paths: readonly string[],
): () => boolean {
  const before = paths.map((path) => [path, idOf(path)] as const)
  return () => before.every(([path, id]) => id === undefined || idOf(path) !== id)
}

function editsIn({ since, scan }: Look, store: Store): Edit[] {
  if (since !== null) return toEdits(since.changed, since.removed)
  // A run under way has put the last snapshot aside.
  const { files } = scan()
  const there = new Set(files.map(({ path }) => path))
  const gone = store.files.known().flatMap(([path]) => (there.has(path) ? [] : [path]))
  return toEdits(files, gone)
}

function toEdits(changed: readonly (Stamp & { path: string })[], removed: readonly string[]): Edit[] {
  return [
    ...changed.map(({ path, size, mtimeMs }) => ({ path, now: { size, mtimeMs } })),
    ...removed.map((path) => ({ path, now: null })),
  ]
}

/** Neither indexed nor left out as it is; and not edited once more, which makes it another's edit. */
function isLacking({ path, now }: Edit, root: string, store: Store): boolean {
  const row = store.files.byPath(path)
  if (now === null) return row !== null
  if (isSame(row, now) || isSame(store.skipped.get(path), now)) return false
  return isSame(stampOf(join(root, path)), now)
}

function isSame(stamp: Stamp | null, other: Stamp): boolean {
  return stamp?.size === other.size && stamp.mtimeMs === other.mtimeMs
}

function stampOf(path: string): Stamp | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null
  } catch {
    // In a folder that may not be read any more: as good as gone.
    return null
  }
}
