import type { ProjectOptions } from "../app/open-project.ts"
import { log } from "../base/log.ts"
import { Calls } from "./calls.ts"
import { Repositories } from "./repositories.ts"
import { Workplace } from "./workplace.ts"

/** What all connections of one process have in common. */
export class Home implements AsyncDisposable {
  readonly options: ProjectOptions
  readonly calls = new Calls({ onPause: giveBackUnused, onRest: giveBackAll })
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

/**
 * What a process holds only to be quick goes, a third of what is its own: the code that was compiled while it answered.
 * The next answer takes some 20 ms more.
 */
function giveBackAll(): void {
  log.debug("at rest")
  Bun.shrink()
  giveBackPages()
}

/**
 * What the answers left behind goes, some 25 ms of work: the engine takes mapped files for its own, and would let as much
 * garbage lie as they are large.
 */
function giveBackUnused(): void {
  Bun.gc(true)
  giveBackPages()
}

function giveBackPages(): void {
  Promise.all([import("../store/give-back-pages.ts"), import("../indexing/worker-pool.ts")])
    .then(([pages, pool]) => {
      // While the index is being written the next pause does.
      if (!pool.isAnyWorking()) pages.giveBackPages()
    })
    .catch((error: unknown) => log.warn("cannot give back pages", { message: String(error) }))
}
