import type { SpaceRow } from "../store/spaces.ts"
import type { Store } from "../store/store.ts"
import { embeddedFiles } from "../vector/embedded-files.ts"
import type { EmbeddableFile } from "./embed-source.ts"

/** Indexed files that have no vectors in a space yet, by path. */
export function filesWithout(store: Store, folder: string, space: SpaceRow): EmbeddableFile[] {
  const present = embeddedFiles(store, folder, space)
  const missing = store.files.ids().filter((id) => !present.has(id))
  return store.files.named(missing).sort((a, b) => (a.path < b.path ? -1 : 1))
}
