import { loadConfig } from "../src/base/config/load.ts"
import type { ConfigFlags } from "../src/base/config/resolve.ts"
import { detectChanges } from "../src/index/changes/detect-changes.ts"
import { ensureIndexFolder, indexPath } from "../src/index/index-folder.ts"
import { forgetDamaged } from "../src/index/index-state.ts"
import { isUsable, type RunContext, type RunReport, runIndex } from "../src/index/pipeline/run.ts"
import type { ReadLimits } from "../src/index/pipeline/worker-pool.ts"
import { WorkerPool } from "../src/index/pipeline/worker-pool.ts"
import { openStore } from "../src/store/index/open.ts"
import type { Store } from "../src/store/index/store.ts"
import { LeaderLock } from "../src/store/lock/lead.ts"
import { keptPool } from "./kept-pool.ts"

export const LIMITS: ReadLimits = {
  maxFileBytes: 1_048_576,
  parseTimeoutMs: 5000,
  maxParserBytes: 256 << 20,
  pauseBytes: 2 ** 34,
}

/** Runs the index pipeline as the app composes it, with real parts that a test can reach. */
export class IndexRun implements Disposable {
  readonly context: RunContext
  readonly store: Store
  readonly phases: string[] = []
  keywordReady = 0

  constructor(root: string, flags: ConfigFlags = {}, spawn?: () => Worker) {
    const config = loadConfig(root, { "index.workers": 1, ...flags }, {})
    ensureIndexFolder({ root, dir: config.index.dir })[Symbol.dispose]()
    const lead = LeaderLock.take(config.index.dir)
    if (lead === null) throw new Error("somebody else leads")
    this.store = openStore(indexPath(config.index.dir))
    const isUsual = config.index.workers === keptPool.size && spawn === undefined
    const pool = isUsual ? keptPool : new WorkerPool(config.index.workers, spawn)
    this.context = {
      root,
      config,
      store: this.store,
      lead,
      pool: () => pool,
      onProgress: (phase, done, total) => this.phases.push(`${phase} ${done}/${total}`),
      onKeywordReady: () => this.keywordReady++,
      now: () => 1_600_000_000_000,
    }
  }

  run(change: Partial<RunContext> = {}): Promise<RunReport> {
    const context = { ...this.context, ...change }
    forgetDamaged(this.store, context.config.index.dir)
    const look = detectChanges(context.root, context.config, context.store, isUsable(context))
    return runIndex(context, look)
  }

  paths(): string[] {
    return this.store.files.all().map((file) => file.path)
  }

  [Symbol.dispose](): void {
    this.context.pool().close()
    this.store.close()
    this.context.lead.release()
  }
}
