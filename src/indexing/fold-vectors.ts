import { collector } from "../base/collector.ts"
import { codeModelOf, createStaticEmbedder } from "../embed/static.ts"
import { openStore } from "../store/open.ts"
import type { SpaceRow } from "../store/spaces.ts"
import type { Store } from "../store/store.ts"
import { foldVectors as fold } from "../vector/fold.ts"
import { CHUNK_KEY_STRIDE } from "../vector/port.ts"
import type { FreshVectors } from "../vector/write-table.ts"
import { embedFile } from "./embed-source.ts"
import { filesWithout } from "./files-without.ts"
import { indexPath } from "./index-folder.ts"
import type { EmbedSource, FoldedVectors, FoldVectorsTask } from "./messages.ts"

/** Folds the waiting vectors into the next generation's files. Runs in a worker, writes no row. */
export async function foldVectors(
  task: FoldVectorsTask,
  onProgress: (done: number, linking?: number) => void,
): Promise<FoldedVectors> {
  using store = openStore(indexPath(task.folder), { readonly: true, isMapped: false })
  const space = store.spaces.all().find((row) => row.id === task.spaceId)
  if (space === undefined) throw new Error(`no embedding space ${task.spaceId}`)
  const { generation, quantization, memoryLimitBytes, threads } = task
  const fresh =
    task.embed === null ? {} : { fresh: freshVectors(store, task.folder, space, task.embed, onProgress) }
  return await fold(store, task.folder, {
    space,
    generation,
    quantization,
    memoryLimitBytes,
    threads,
    onLinked: onProgress,
    ...fresh,
  })
}

async function* freshVectors(
  store: Store,
  folder: string,
  space: SpaceRow,
  from: EmbedSource,
  onProgress: (files: number) => void,
): AsyncGenerator<FreshVectors> {
  const embedder = createStaticEmbedder(codeModelOf(space)!)
  const collect = collector()
  let done = 0
  for (const file of filesWithout(store, folder, space)) {
    const embedded = await embedFile(store, embedder, from, file)
    onProgress(++done)
    collect()
    if (embedded === null) continue
    const keys = Float64Array.from(embedded.ordinals, (ordinal) => file.id * CHUNK_KEY_STRIDE + ordinal)
    yield { keys, vectors: embedded.vectors }
  }
}
