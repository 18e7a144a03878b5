import { accessSync, constants, lstatSync } from "node:fs"
import { basename, join } from "node:path"
import { userDataDir } from "../base/paths.ts"
import { sha256 } from "../base/sha256.ts"

export const INDEX_DIR_NAME = ".aman"

/**
 * Where a project's index lives: `<root>/.aman`, or the user's data folder where that cannot be written or is
 * wanted so, or a folder of its own in the one that the user named for all.
 */
export function chooseIndexDir(root: string, location = "project", dataDir: string = userDataDir()): string {
  if (location !== "project" && location !== "user") return join(location, indexName(root))
  const inside = join(root, INDEX_DIR_NAME)
  return location === "project" && isUsable(root, inside) ? inside : join(dataDir, "indexes", indexName(root))
}

function isUsable(root: string, folder: string): boolean {
  try {
    const found = lstatSync(folder, { throwIfNoEntry: false })
    // A link could lead the index out of the project, to wherever its author wished.
    if (found && !found.isDirectory()) return false
    accessSync(found ? folder : root, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** The folder's own name, for people, and enough of a hash of its path to be unique. */
function indexName(root: string): string {
  const hash = sha256(root).slice(0, 16)
  return `${
    basename(root)
      .replace(/[^\w.-]+/g, "_")
      .slice(0, 40) || "root"
  }-${hash}`
}
