import type { ProjectOptions } from "../app/open-project.ts"
import { Calls } from "./calls.ts"
import { giveBackAll, giveBackUnused, Relief } from "./give-back.ts"
import { Repositories } from "./repositories.ts"
import { Workplace } from "./workplace.ts"

/** What all connections of one process have in common. */
export class Home implements AsyncDisposable {
  readonly options: ProjectOptions
  readonly calls = new Calls({
    onAnswered: () => this.#relief.relieve(),
    onPause: giveBackUnused,
    onRest: giveBackAll,
  })
  readonly #relief = new Relief()
  readonly repositories: Repositories
  /** The one place of all connections; null where each has its own, and its client says where that is. */
  readonly shared: Workplace | null

  constructor(options: ProjectOptions, { isShared }: { readonly isShared: boolean }) {
    const { root: _, cwd: __, onProgress: ___, ...flags } = options
    this.options = options
    this.repositories = new Repositories(flags, this.calls)
    this.shared = isShared ? new Workplace(options) : null
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.repositories[Symbol.asyncDispose]()
    await this.shared?.[Symbol.asyncDispose]()
  }
}
