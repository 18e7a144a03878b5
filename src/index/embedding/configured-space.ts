import { isBuiltIn } from "../../embed/builtin/static.ts"
import type { EmbeddingSpace } from "../../embed/port.ts"
import { sweepDerived } from "../../store/derived/derived-files.ts"
import type { SpaceRow } from "../../store/index/spaces.ts"
import type { Store } from "../../store/index/store.ts"

/** A failure of the configured embedder, and what to do about it. */
export type EmbedderFailure = { readonly message: string; readonly hint: string | null }

const FAILURE_KEY = "embedder_failure"

/** The configured space; null where there is none. There is never more than one. */
export function configuredSpace(store: Store): SpaceRow | null {
  return store.spaces.all().find((space) => !isBuiltIn(space)) ?? null
}

/**
 * The row of a configured space. Inserts it if it is new, and then drops the vectors of the previous
 * configured space.
 */
export function enterSpace(store: Store, folder: string, space: EmbeddingSpace): SpaceRow {
  const found = store.spaces.find(space)
  if (found !== null) return found
  leaveSpace(store, folder)
  store.transaction(() => store.spaces.ensure(space))
  return store.spaces.find(space)!
}

/** Deletes the configured embedder's vectors and derived files that are then unused. Does nothing if there are none. */
export function leaveSpace(store: Store, folder: string): void {
  const old = configuredSpace(store)
  if (old === null) return
  store.transaction(() => store.removeSpace(old.id))
  sweepDerived(folder, store.derived.all())
}

export function embedderFailure(store: Store): EmbedderFailure | null {
  const json = store.meta.get(FAILURE_KEY)
  return json === null ? null : (JSON.parse(json) as EmbedderFailure)
}

/** Stored in the index, so that every process can report it; written only when it changed. */
export function storeEmbedderFailure(store: Store, failure: EmbedderFailure | null): void {
  const json = failure === null ? null : JSON.stringify(failure)
  if (json === store.meta.get(FAILURE_KEY)) return
  if (json === null) store.meta.remove(FAILURE_KEY)
  else store.meta.set(FAILURE_KEY, json)
}
