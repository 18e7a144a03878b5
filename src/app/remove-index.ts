import { existsSync } from "node:fs"
import { AmanError } from "../base/errors.ts"
import { indexFolderSize, removeIndexFolder } from "../indexing/index-folder.ts"
import { Lead } from "../store/lead.ts"
import { type IndexPlace, knownIndexId, openRegistry } from "./index-trust.ts"
import { isTheirs } from "./own-index-dir.ts"

export type RemovedIndex = {
  readonly root: string
  readonly dir: string
  /** Both 0 where there was none. */
  readonly files: number
  readonly bytes: number
}

/** Removes an index that this user's aman made, and nothing else that may lie beside it. */
export function removeIndex(place: IndexPlace): RemovedIndex {
  const registry = openRegistry()
  if (!existsSync(place.dir)) {
    registry.remove(place.dir)
    return { ...place, files: 0, bytes: 0 }
  }
  const size = indexFolderSize(place.dir)
  if (size.files > 0) removeOurs(place)
  registry.remove(place.dir)
  return { ...place, ...size }
}

function removeOurs(place: IndexPlace): void {
  if (isTheirs(place.dir) || knownIndexId(place) === null) {
    throw new AmanError("INDEX_FOREIGN", `the index in ${place.dir} was not made by this user's aman`, {
      hint: "delete that folder yourself where nobody needs it",
    })
  }
  using lead = Lead.take(place.dir)
  if (lead === null) {
    throw new AmanError("INDEX_BUSY", `another aman is writing the index in ${place.dir}`, {
      hint: "end it (aman serve, or aman index) and try again",
    })
  }
  removeIndexFolder(place.dir)
}
