import { join } from "node:path"
import { AmanError } from "../../base/errors.ts"
import { userDataDir } from "../../base/paths.ts"
import { Knowledge } from "../../knowledge/knowledge.ts"
import { findRoot } from "../root.ts"

export type MemoryChoice = { readonly cwd: string; readonly root?: string | undefined }

/** The user's knowledge, opened in the place that the choice names. */
export async function openMemory(choice: MemoryChoice): Promise<Memory> {
  const root = rootOf(choice)
  const knowledge = new Knowledge({ path: knowledgePath(), now: Date.now })
  return new Memory(knowledge, root)
}

export function knowledgePath(): string {
  return join(userDataDir(), "knowledge.db")
}

/** What is known, as it is seen from one project, or from none. */
export class Memory implements Disposable {
  readonly knowledge: Knowledge
  readonly root: string | null

  constructor(knowledge: Knowledge, root: string | null) {
    this.knowledge = knowledge
    this.root = root
  }

  close(): void {
    this.knowledge.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }
}

/** Knowledge needs no project: in the home folder there is what belongs to all. */
function rootOf(choice: MemoryChoice): string | null {
  try {
    return findRoot(choice).root
  } catch (error) {
    if (choice.root === undefined && error instanceof AmanError && error.code === "NO_ROOT") return null
    throw error
  }
}
