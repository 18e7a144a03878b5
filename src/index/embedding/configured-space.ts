import type { EmbeddingSpace } from "../../embed/port.ts"
import { isBuiltIn } from "../../embed/static.ts"
import { sweepDerived } from "../../store/derived/derived-files.ts"
import type { SpaceRow } from "../../store/index/spaces.ts"
import type { Store } from "../../store/index/store.ts"

/** Why the configured embedder failed, and what the user can do. */
export type EmbedderFailure = { readonly message: string; readonly hint: string | null }

const FAILURE_KEY = "embedder_failure"

/**
 * The row of the configured space, which is the space of the embedder that the user configured (Ollama or an API). Null
 * if there is none. There is never more than one.
 */
export function configuredSpace(store: Store): SpaceRow | null {
  return store.spaces.all().find((space) => !isBuiltIn(space)) ?? null
}

/**
 * Returns the row of a configured space. If the space is new, the row is inserted and the vectors of the previous
 * configured space are dropped.
 */
export function enterSpace(store: Store, folder: string, space: EmbeddingSpace): SpaceRow {
  const found = store.spaces.find(space)
  if (found !== null) return found
  leaveSpace(store, folder)
  store.transaction(() => store.spaces.ensure(space))
  return store.spaces.find(space)!
}

/**
 * Deletes the vectors of the configured space, and derived files that are unused after that. Does nothing if there is
 * no configured space.
 */
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

/** Stores the last failure in the index, so that every process can report it. Written only when it changes. */
export function storeEmbedderFailure(store: Store, failure: EmbedderFailure | null): void {
  const json = failure === null ? null : JSON.stringify(failure)
  if (json === store.meta.get(FAILURE_KEY)) return
  if (json === null) store.meta.remove(FAILURE_KEY)
  else store.meta.set(FAILURE_KEY, json)
}
