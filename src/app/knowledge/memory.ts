import { basename, join } from "node:path"
import { AmanError } from "../../base/errors.ts"
import { userDataDir } from "../../base/paths.ts"
import { createIds } from "../../knowledge/ids.ts"
import { Knowledge } from "../../knowledge/knowledge.ts"
import { findRoot } from "../root.ts"
import { type Known, RecallSource } from "./recall-source.ts"
import { Sources } from "./sources.ts"

export type MemoryChoice = { readonly cwd: string; readonly root?: string | undefined }

/** The user's knowledge, opened in the place that the choice names. */
export async function openMemory(choice: MemoryChoice): Promise<Memory> {
  const root = rootOf(choice)
  return new Memory(new Knowledge({ path: knowledgePath(), now: Date.now }), root)
}

export function knowledgePath(): string {
  return join(userDataDir(), "knowledge.db")
}

/** What is known, as it is seen from one project, or from none. */
export class Memory implements Disposable {
  readonly knowledge: Knowledge
  /** Absolute; null in a place that is no project. */
  readonly root: string | null
  readonly sources: Sources
  readonly notices: string[] = []
  readonly #recall: RecallSource

  constructor(knowledge: Knowledge, root: string | null) {
    this.knowledge = knowledge
    this.root = root
    this.sources = new Sources(root)
    this.#recall = new RecallSource(knowledge)
  }

  /** Id of the project of this place; null where it is none, or where nothing has been remembered of it yet. */
  project(): string | null {
    if (this.root === null) return null
    return this.knowledge.projects.withMark("path", this.root)[0] ?? null
  }

  /** The same, made where it is missing. */
  async ownProject(): Promise<string | null> {
    const known = this.project()
    if (known !== null || this.root === null) return known
    const id = createIds(Date.now)()
    const { projects } = this.knowledge
    projects.add({ id, name: basename(this.root), created: new Date().toISOString() })
    projects.mark({ project: id, kind: "path", value: this.root })
    return id
  }

  /** Everything known, ready to be searched and current. */
  known(): Promise<Known> {
    return this.#recall.current()
  }

  close(): void {
    this.sources[Symbol.dispose]()
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
