import { isBuiltIn } from "../embed/static.ts"
import type { SpaceRow } from "../store/spaces.ts"
import type { Store } from "../store/store.ts"
import { openVectors } from "../vector/set.ts"
import type { AskOther, OtherSource } from "./sources.ts"

/** The space beside the built-in one; null where there is none that is whole, sound and wanted. */
export function openOther(
  store: Store,
  folder: string,
  askOther: AskOther,
): (OtherSource & Disposable) | null {
  const space = wholeSpace(store)
  const embedQuery = space === null ? null : askOther(space)
  if (space === null || embedQuery === null) return null
  const vectors = openVectors(store, folder, space)
  if (vectors.isComplete) return { vectors, embedQuery, [Symbol.dispose]: () => vectors[Symbol.dispose]() }
  vectors[Symbol.dispose]()
  return null
}

/** A file without vectors there would not be found for what it means. */
function wholeSpace(store: Store): SpaceRow | null {
  const space = store.spaces.all().find((row) => !isBuiltIn(row))
  return space !== undefined && store.embedded.isWhole(space.id) ? space : null
}
