import type { Project } from "../project/open-project.ts"
import { IndexUpdater } from "./index-updater.ts"
import type { IndexerRun } from "./indexer.ts"

export type WatchedRun = Pick<IndexerRun, "changed" | "removed"> & {
  readonly files: number
  readonly chunks: number
  readonly duration_ms: number
}

/**
 * Keeps the index up to date until the signal aborts; `onChange` is called after every run that changed
 * something.
 */
export async function watchProject(
  project: Project,
  signal: AbortSignal,
  onChange: (run: WatchedRun) => void,
): Promise<void> {
  const onRun = ({ changed, removed, durationMs }: IndexerRun) => {
    if (changed + removed === 0) return
    const { files, chunks } = project.reader()!.store.files.totals()
    onChange({ changed, removed, files, chunks, duration_ms: Math.round(durationMs) })
  }
  const updater = new IndexUpdater(project, { onRun })
  await aborted(signal)
  await updater.close()
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    // A pending promise alone does not keep the process alive.
    const alive = setInterval(() => {}, 2 ** 30)
    const end = () => {
      clearInterval(alive)
      resolve()
    }
    if (signal.aborted) end()
    else signal.addEventListener("abort", end, { once: true })
  })
}
