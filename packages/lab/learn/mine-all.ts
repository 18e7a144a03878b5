import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { MineReport, MineTask } from "./mine-worker.ts"
import type { RepositoryEntry, Split } from "./repositories.ts"
import type { Task } from "./task.ts"

type Pinned = RepositoryEntry & { readonly commit: string }

export type MineOptions = {
  /** Folder with a file of tasks for each repository and commit. */
  readonly out: string
  readonly workers: number
  readonly gitDirOf: (name: string) => string
  readonly onDone: (report: MineReport & { readonly name: string }) => void
}

export type Mined = { readonly entry: Pinned; readonly file: string }

/** Max tasks of a repository. Judging needs fewer tasks per repository than fitting, and more repositories. */
const MAX_TASKS: Readonly<Record<Split, number>> = { learn: 100, develop: 30, closed: 30 }

/**
 * Mines every repository that has no file of tasks yet, several at a time. Returns the repositories that have
 * tasks, in the order of the list.
 */
export async function mineAll(entries: readonly Pinned[], options: MineOptions): Promise<Mined[]> {
  mkdirSync(options.out, { recursive: true })
  const all = entries.map((entry) => ({
    entry,
    file: join(options.out, `${entry.name.replace("/", "+")}@${entry.commit.slice(0, 12)}.jsonl`),
  }))
  const queue = all.filter(({ file }) => !existsSync(file))
  const next = async (): Promise<void> => {
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
      const { name, commit: head, base, split } = job.entry
      const gitDir = options.gitDirOf(name)
      const task = { repo: name, gitDir, head, base, maxTasks: MAX_TASKS[split], target: job.file }
      options.onDone({ name, ...(await mineOne(task)) })
    }
  }
  await Promise.all(Array.from({ length: options.workers }, next))
  return all.filter(({ file }) => existsSync(file)).flatMap(withBase)
}

/** Mines a repository in a thread of its own, because parsers keep the memory that a large file took. */
function mineOne(task: MineTask): Promise<MineReport> {
  const worker = new Worker(new URL("./mine-worker.ts", import.meta.url))
  return new Promise<MineReport>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<MineReport>) => resolve(data)
    worker.onerror = ({ message }) => reject(new Error(`${task.repo}: ${message}`))
    worker.postMessage(task)
  }).finally(() => worker.terminate())
}

function withBase({ entry, file }: Mined): Mined[] {
  const [first = ""] = readFileSync(file, "utf8").split("\n", 1)
  return first === "" ? [] : [{ entry: { ...entry, base: (JSON.parse(first) as Task).base }, file }]
}
