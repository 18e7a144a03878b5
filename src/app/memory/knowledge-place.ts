import { join } from "node:path"
import { AmanError } from "../../base/errors.ts"
import { userDataDir } from "../../base/paths.ts"
import { findRoot } from "../project/root.ts"

export type MemoryChoice = { readonly cwd: string; readonly root?: string | undefined }

export function knowledgePath(): string {
  return join(userDataDir(), "knowledge.db")
}

/**
 * The project's root; null outside of projects, where entries that belong to all projects are still
 * available.
 */
export function rootOf(choice: MemoryChoice): string | null {
  try {
    return findRoot(choice).root
  } catch (error) {
    if (choice.root === undefined && error instanceof AmanError && error.code === "NO_ROOT") return null
    throw error
  }
}
