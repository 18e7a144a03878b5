import type { SpaceRow } from "../store/spaces.ts"
import type { Store } from "../store/store.ts"
import { embeddedFiles } from "../vector/embedded-files.ts"
import type { EmbeddableFile } from "./embed-source.ts"

/** Indexed files that have no vectors in a space yet, by path. */
export function filesWithout(store: Store, folder: string, space: SpaceRow): EmbeddableFile[] {
  const present = embeddedFiles(store, folder, space)
  return store.files
    .known()
    .filter(([, id]) => !present.has(id))
    .map(([path, id, , , hash]) => ({ id, path, hash }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}
