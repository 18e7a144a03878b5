import { lstatSync } from "node:fs"
import { join } from "node:path"
import { type ChangeScan, detectChanges } from "../../index/changes/detect-changes.ts"
import { requestReindex } from "../../index/changes/reindex-requests.ts"
import { type IndexPlace, openIndexFolder } from "../../index/index-folder.ts"
import { markDamaged } from "../../index/mark-damaged.ts"
import type { Store } from "../../store/index/store.ts"
import type { Project } from "../project/open-project.ts"

// Max wait for the leader, which checks for reindex requests twice a second and indexes an edit in a few dozen
// milliseconds.
const REPAIR_TIMEOUT_MS = 3_000

type FileStamp = { readonly size: number; readonly mtimeMs: number }
/** A file whose state on disk is not in the index yet; `now` is null if it was deleted. */
type Edit = { readonly path: string; readonly now: FileStamp | null }

/**
 * Asks the leader to index the edits made until now, which it may not have seen, and to read suspects again whatever
 * their size and time. Returns a function that is true once the leader has done so or its time is up; results that are
 * still stale are then left out of answers. Takes one scan of the files when nothing has changed.
 */
export function askLeader(
  { root, config }: Project,
  store: Store,
  suspects: readonly string[] = [],
): () => boolean {
  let edits = editsIn(detectChanges(root, config, store, true), store)
  const areReindexed = reindexCheck((path) => store.files.byPath(path)?.id, suspects)
  const isDone = () => {
    edits = edits.filter((edit) => isMissing(edit, root, store))
    return (edits.length === 0 && areReindexed()) || performance.now() > until
  }
  const until = performance.now() + REPAIR_TIMEOUT_MS
  if (!isDone()) requestReindexIn({ root, dir: config.index.dir }, suspects)
  return isDone
}

/** Marks the index as damaged, so that the leader rebuilds it. */
export function markDamagedIn(place: IndexPlace): void {
  using folder = openIndexFolder(place)
  if (folder !== null) markDamaged(folder.at)
}

/**
 * Sends a reindex request to the leader of an index. Throws if that is impossible, as when a link stands in
 * place of its folder.
 */
export function requestReindexIn(place: IndexPlace, suspects: readonly string[]): void {
  using folder = openIndexFolder(place)
  if (folder !== null) requestReindex(folder.at, new Date(), suspects)
}

/**
 * Returns a function that is true once each path has been indexed again. A path counts as indexed again when its file
 * has another id, or when it was not in the index at first.
 */
export function reindexCheck(
  idOf: (path: string) => number | undefined,
  paths: readonly string[],
): () => boolean {
  const previousIds = paths.map((path) => [path, idOf(path)] as const)
  return () => previousIds.every(([path, id]) => id === undefined || idOf(path) !== id)
}

function editsIn({ since, result }: ChangeScan, store: Store): Edit[] {
  if (since !== null) return toEdits(since.changed, since.removed)
  // A running index job has cleared the snapshot, so every file is compared with the index.
  const { files } = result()
  const present = new Set(files.map(({ path }) => path))
  const gone = store.files.known().flatMap(([path]) => (present.has(path) ? [] : [path]))
  return toEdits(files, gone)
}

function toEdits(changed: readonly (FileStamp & { path: string })[], removed: readonly string[]): Edit[] {
  return [
    ...changed.map(({ path, size, mtimeMs }) => ({ path, now: { size, mtimeMs } })),
    ...removed.map((path) => ({ path, now: null })),
  ]
}

/** True while the edit is missing from the index and the file has not changed again since. */
function isMissing({ path, now }: Edit, root: string, store: Store): boolean {
  const row = store.files.byPath(path)
  if (now === null) return row !== null
  if (isSameStamp(row, now) || isSameStamp(store.skipped.get(path), now)) return false
  return isSameStamp(fileStamp(join(root, path)), now)
}

function isSameStamp(stamp: FileStamp | null, other: FileStamp): boolean {
  return stamp?.size === other.size && stamp.mtimeMs === other.mtimeMs
}

function fileStamp(path: string): FileStamp | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null
  } catch {
    // The folder is no longer readable, which counts as deleted.
    return null
  }
}
