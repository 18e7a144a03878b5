import type { SpaceRow } from "../store/spaces.ts"
import type { Store } from "../store/store.ts"
import { openTable } from "./base.ts"
import { CHUNK_KEY_STRIDE } from "./port.ts"

/** Ids of the files that have vectors in a space, folded or not. A base that cannot be used counts for nothing. */
export function embeddedFiles(store: Store, folder: string, space: SpaceRow): Set<number> {
  const { parts, deltas } = store.consistently(() => ({
    parts: store.derived.of("vectors", space.id),
    deltas: store.vectors.fileIds(space.id),
  }))
  const files = new Set(deltas)
  using index = openTable(folder, parts, space.dimensions)
  const keys = index?.table.keys ?? new Float64Array()
  // The keys of a file mostly follow one another.
  let last = -1
  for (let i = 0; i < keys.length; i++) {
    const file = Math.floor(keys[i]! / CHUNK_KEY_STRIDE)
    if (file !== last) files.add(file)
    last = file
  }
  return files
}
