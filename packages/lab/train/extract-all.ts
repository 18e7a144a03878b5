import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Repository } from "./extract.ts"
import type { ExtractReport, ExtractTask } from "./extract-worker.ts"

export type ExtractOptions = {
  /** Folder of bare repositories, as OWNER+NAME/repo. */
  readonly mirrors: string
  /** Folder for the pairs of each repository, by name and commit. */
  readonly pairs: string
  readonly forbidden: ReadonlySet<string>
  readonly workers: number
  readonly onDone: (report: ExtractReport) => void
}

/**
 * Extracts the pairs of every repository that has none yet, several at a time. Returns the paths of all files,
 * in the order of the list.
 */
export async function extractAll(
  repositories: readonly Repository[],
  options: ExtractOptions,
): Promise<string[]> {
  mkdirSync(options.pairs, { recursive: true })
  const targets = repositories.map(({ name, commit }) =>
    join(options.pairs, `${name.replace("/", "+")}@${commit.slice(0, 12)}.pairs`),
  )
  const queue = repositories.flatMap((repository, i) =>
    existsSync(targets[i]!) ? [] : [{ repository, target: targets[i]! }],
  )
  const next = async (): Promise<void> => {
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
      const gitDir = join(options.mirrors, job.repository.name.replace("/", "+"), "repo")
      options.onDone(await extractOne({ ...job, gitDir, forbidden: options.forbidden }))
    }
  }
  await Promise.all(Array.from({ length: options.workers }, next))
  return targets.filter((target) => existsSync(target))
}

function extractOne(task: ExtractTask): Promise<ExtractReport> {
  const worker = new Worker(new URL("./extract-worker.ts", import.meta.url))
  return new Promise<ExtractReport>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<ExtractReport>) => resolve(data)
    worker.onerror = ({ message }) => reject(new Error(`${task.repository.name}: ${message}`))
    worker.postMessage(task)
  }).finally(() => worker.terminate())
}
