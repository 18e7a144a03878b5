import { readState } from "../indexing/index-state.ts"
import { type Look, lookAt } from "../indexing/look.ts"
import { lookInWorker } from "../indexing/look-in-worker.ts"
import { isRankDue } from "../indexing/rank-if-due.ts"
import { isUsable } from "../indexing/run.ts"
import type { WorkerPool } from "../indexing/worker-pool.ts"
import type { IndexReader } from "../search/reader.ts"
import { isAsVerified } from "../store/derived-files.ts"
import type { Store } from "../store/store.ts"
import { hasPlantedLog } from "./index-trust.ts"
import type { Project } from "./open-project.ts"

/** What a reader found when it looked at the files, and the state of the index that it compared them with. */
export type FirstLook = {
  readonly look: Look
  readonly version: number
  /** The index shows the project as it is: whoever took the lead would find nothing to do. */
  readonly isCurrent: boolean
}

/** A thread of its own for a look, and the sign that it sets to 1 as soon as anything is not as it was. */
export type Apart = { readonly pool: WorkerPool; readonly sign: Int32Array<SharedArrayBuffer> }

/**
 * A look that needs neither the lead nor to write; null where only who leads can tell what is to be done. Where it
 * is to be made `apart`, another thread makes it.
 */
export async function lookFirst(
  project: Project,
  { store }: IndexReader,
  apart: Apart | null,
): Promise<FirstLook | null> {
  const { root, config } = project
  const version = store.dataVersion()
  if (!isWhole(project, store)) return null
  const look = apart !== null ? await lookApart(project, apart) : lookAt(root, config, store, true)
  return { look, version, isCurrent: store.dataVersion() === version && isSame(store, look) }
}

function lookApart({ root, config }: Project, { pool, sign }: Apart): Promise<Look> {
  return lookInWorker(pool, { root, config, usable: true, sign })
}

/** The last run completed, as this one would, and what it left behind lies there untouched. */
function isWhole({ root, config }: Project, store: Store): boolean {
  const { dir } = config.index
  return (
    isUsable({ store, config }) &&
    !isRankDue(store) &&
    !hasPlantedLog({ root, dir }) &&
    store.derived.all().every((row) => isAsVerified(dir, row))
  )
}

/** Counts of what is left out are part of the index, too. */
function isSame(store: Store, { since, skipped, total }: Look): boolean {
  const state = readState(store)
  return (
    since?.changed.length === 0 &&
    since.removed.length === 0 &&
    state.total === total &&
    JSON.stringify(state.skipped) === JSON.stringify(skipped)
  )
}
