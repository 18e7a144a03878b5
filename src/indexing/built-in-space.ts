import { type CodeModel, createStaticEmbedder, isBuiltIn } from "../embed/static.ts"
import { sweepDerived } from "../store/derived-files.ts"
import type { SpaceRow } from "../store/spaces.ts"
import type { Store } from "../store/store.ts"

/** The row of a built-in space, entered if it is new; vectors of another built-in one are dropped then. */
export function builtInSpace(store: Store, folder: string, model: CodeModel): SpaceRow {
  const { space } = createStaticEmbedder(model)
  const found = store.spaces.find(space)
  if (found !== null) return found
  const old = store.spaces.all().filter(isBuiltIn)
  store.transaction(() => {
    for (const { id } of old) store.removeSpace(id)
    store.spaces.ensure(space)
  })
  if (old.length > 0) sweepDerived(folder, store.derived.all())
  return store.spaces.find(space)!
}
