import { AmanError } from "../../base/errors.ts"
import { userDataDir } from "../../base/paths.ts"
import { SHARED_FOLDER, sharedStamp } from "../../memory/sharing/shared-folder.ts"
import { sharedState } from "../../memory/sharing/shared-state.ts"
import { counted } from "./entry-text.ts"

/** The notice that changes of a shared folder wait for a person's review. */
export function pendingNotice(held: number): string {
  return `${counted(held, "change")} in ${SHARED_FOLDER}/ ${held === 1 ? "waits" : "wait"} for review and ${held === 1 ? "is" : "are"} not used yet; run: aman memory sync`
}

/**
 * A notice when changes wait in the shared folder of the project at `root`; null when none do or it is not
 * shared. It opens no store, so for a folder that changed since the last sync it only reports that it
 * changed.
 */
export function pendingChangesIn(root: string): string | null {
  const state = sharedState(userDataDir(), root)
  if (state === null) return null
  try {
    if (sharedStamp(root) !== state.stamp) return `${SHARED_FOLDER}/ has changed; run: aman memory sync`
  } catch (error) {
    if (error instanceof AmanError) return error.message
    throw error
  }
  return state.held === 0 ? null : pendingNotice(state.held)
}
