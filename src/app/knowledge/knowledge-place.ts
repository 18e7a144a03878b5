import { join } from "node:path"
import { AmanError } from "../../base/errors.ts"
import { userDataDir } from "../../base/paths.ts"
import { findRoot } from "../root.ts"

export type MemoryChoice = { readonly cwd: string; readonly root?: string | undefined }

export function knowledgePath(): string {
  return join(userDataDir(), "knowledge.db")
}

/** Knowledge needs no project: in the home folder there is what belongs to all. */
export function rootOf(choice: MemoryChoice): string | null {
  try {
    return findRoot(choice).root
  } catch (error) {
    if (choice.root === undefined && error instanceof AmanError && error.code === "NO_ROOT") return null
    throw error
  }
}
