import { openStore } from "../store/open.ts"
import { foldVectors as fold } from "../vector/fold.ts"
import { indexPath } from "./index-folder.ts"
import type { FoldedVectors, FoldVectorsTask } from "./messages.ts"

/** Folds the waiting vectors into the next generation's files. Runs in a worker, writes no row. */
export async function foldVectors(task: FoldVectorsTask): Promise<FoldedVectors> {
  using store = openStore(indexPath(task.folder), { readonly: true })
  const space = store.spaces.all().find((row) => row.id === task.spaceId)
  if (space === undefined) throw new Error(`no embedding space ${task.spaceId}`)
  const { generation, quantization, memoryLimitBytes, threads } = task
  return fold(store, task.folder, { space, generation, quantization, memoryLimitBytes, threads })
}
