import { AmanError } from "../../base/errors.ts"
import type { OpenFolder } from "../../base/files/open-folder.ts"
import {
  hasIndexFiles,
  type IndexPlace,
  indexFolderSize,
  openIndexFolder,
  removeIndexFolder,
} from "../../index/index-folder.ts"
import { LeaderLock } from "../../store/lock/lead.ts"
import { knownIndexId, openRegistry } from "./index-trust.ts"
import { isForeignIndex } from "./own-index-dir.ts"

export type RemovedIndex = {
  readonly root: string
  readonly dir: string
  /** Number of removed files and bytes; both 0 if there was no index. */
  readonly files: number
  readonly bytes: number
}

/**
 * Removes an index that this user's aman made and leaves other files beside it. Throws IO if a link or a file
 * stands in place of its folder.
 */
export function removeIndex(place: IndexPlace): RemovedIndex {
  const registry = openRegistry()
  using folder = openIndexFolder(place)
  if (folder === null) {
    registry.remove(place.dir)
    return { ...place, files: 0, bytes: 0 }
  }
  const size = indexFolderSize(folder.at)
  if (size.files > 0) removeOurs(place, folder, () => registry.remove(place.dir))
  else registry.remove(place.dir)
  return { ...place, ...size }
}

function removeOurs(place: IndexPlace, folder: OpenFolder, forget: () => void): void {
  // aman registers an index before it creates one. So an index that is not registered was made by somebody else and is
  // not deleted.
  const isMade = hasIndexFiles(folder.at)
  if (isMade && (isForeignIndex(place.dir) || knownIndexId(place) === null)) {
    throw new AmanError("INDEX_FOREIGN", `the index in ${place.dir} was not built by your aman`, {
      hint: "delete that folder yourself if it is not needed",
    })
  }
  using lead = LeaderLock.take(folder)
  if (lead === null) {
    throw new AmanError("INDEX_BUSY", `another aman process is writing the index in ${place.dir}`, {
      hint: "stop that process (aman serve or aman index), then try again",
    })
  }
  removeIndexFolder(folder, forget)
}
