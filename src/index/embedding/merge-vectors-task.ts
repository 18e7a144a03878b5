import { join } from "node:path"
import { openStore, type VectorsRow } from "../../store/index.ts"
import { indexPath } from "../index-folder.ts"
import type { MergedVectors, MergeVectorsTask } from "../pipeline/worker-pool.ts"
import { mergeVectors as mergeStored, readRows } from "../vector/merge-vectors.ts"

/** Merges unmerged vectors into the next generation's files. Runs in a worker; writes no row. */
export async function mergeVectors(
  task: MergeVectorsTask,
  onProgress: (done: number, linking?: number) => void,
): Promise<MergedVectors> {
  using store = openStore(indexPath(task.folder), { readonly: true, isMapped: false })
  const space = store.spaces.all().find((row) => row.id === task.spaceId)
  if (space === undefined) throw new Error(`no embedding space ${task.spaceId}`)
  const { generation, memoryLimitBytes, threads } = task
  return await mergeStored(store, task.folder, {
    space,
    generation,
    memoryLimitBytes,
    threads,
    onLinked: onProgress,
    fresh: partRows(task),
  })
}

function* partRows({ folder, parts }: MergeVectorsTask): Generator<VectorsRow> {
  for (const name of parts) yield* readRows(join(folder, name))
}
