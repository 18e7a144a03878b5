import { existsSync, rmSync } from "node:fs"
import { AmanError } from "../../base/errors.ts"
import { removeIndex } from "../remove-index.ts"
import type { Repository } from "./configured.ts"
import type { Ledger } from "./ledger.ts"

/** Deletes clone, index, and what the manifest says of them. Only for the process that leads. */
export function dropRepository({ id, clone, index }: Repository, ledger: Ledger): void {
  dropIndex({ root: clone, dir: index })
  rmSync(clone, { recursive: true, force: true })
  ledger.forget(id)
}

/** Whether anything is there that `dropRepository` would delete. */
export function isOnDisk({ id, clone, index }: Repository, ledger: Ledger): boolean {
  return ledger.has(id) || existsSync(clone) || existsSync(index)
}

/** One that no registry knows, as after the loss of the user's data, lies in a folder of ours all the same. */
function dropIndex(place: { readonly root: string; readonly dir: string }): void {
  try {
    removeIndex(place)
  } catch (error) {
    if (!(error instanceof AmanError && error.code === "INDEX_FOREIGN")) throw error
    rmSync(place.dir, { recursive: true, force: true })
  }
}
