import { join } from "node:path"
import { userDataDir } from "../../../base/paths.ts"

export type MemoryChoice = { readonly cwd: string; readonly root?: string | undefined }

export function knowledgePath(): string {
  return join(userDataDir(), "knowledge.db")
}
