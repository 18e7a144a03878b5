import { createStaticEmbedder } from "../embed/static.ts"
import type { Store } from "../store/store.ts"
import { openTable } from "../vector/base.ts"
import { CHUNK_KEY_STRIDE } from "../vector/port.ts"
import type { RunContext } from "./run.ts"

type Missing = { readonly id: number; readonly path: string; readonly hash: string }

const BATCH_FILES = 128
// Fewer waiting vectors than this are scanned in no time; folding them would cost every small edit a rewrite.
const FEW_VECTORS = 2_000
const DELTA_SHARE = 0.1

/** Embeds whatever has no vector yet, and folds when enough of it waits. Search answers without, meanwhile. */
export async function embedFiles(context: RunContext, check: () => void): Promise<void> {
  const { store, config } = context
  const { space } = createStaticEmbedder()
  const spaceId = store.spaces.find(space)?.id ?? store.transaction(() => store.spaces.ensure(space))
  const missing = filesWithout(store, config.indexDir, spaceId, space.dimensions)
  let done = 0
  context.onProgress("embed", 0, missing.length)
  const batches = Array.from({ length: Math.ceil(missing.length / BATCH_FILES) }, (_, index) =>
    missing.slice(index * BATCH_FILES, (index + 1) * BATCH_FILES),
  )
  let next = 0
  const lanes = Array.from({ length: Math.min(batches.length, context.pool().size + 1) }, async () => {
    while (next < batches.length) {
      const files = batches[next++]!
      check()
      const { vectors } = await context.pool().run({
        kind: "embed",
        root: context.root,
        folder: config.indexDir,
        quantization: config.quantization,
        maxFileBytes: config.maxFileBytes,
        files,
      })
      check()
      store.transaction(() => store.vectors.add(spaceId, vectors))
      done += files.length
      context.onProgress("embed", done, missing.length)
    }
  })
  await Promise.all(lanes)
  await foldIfDue(context, check, spaceId)
}

/** Live files that neither the base nor a delta has vectors of. */
function filesWithout(store: Store, folder: string, spaceId: number, dimensions: number): Missing[] {
  const covered = new Set(store.vectors.fileIds(spaceId))
  const base = openTable(folder, store.derived.of("vectors", spaceId), dimensions)
  for (const key of base?.table.keys ?? []) covered.add(Math.floor(key / CHUNK_KEY_STRIDE))
  return store.files
    .known()
    .filter(([, id]) => !covered.has(id))
    .map(([path, id, , , hash]) => ({ id, path, hash }))
}

async function foldIfDue(context: RunContext, check: () => void, spaceId: number): Promise<void> {
  const { store, config } = context
  const pending = store.vectors.pending(spaceId)
  const base = store.derived.of("vectors", spaceId)
  const { chunks } = store.files.totals()
  const due = base.length === 0 || pending.vectors > Math.max(FEW_VECTORS, chunks * DELTA_SHARE)
  if (pending.vectors === 0 || !due) return
  context.onProgress("fold", 0, 1)
  const folded = await context.pool().run({
    kind: "fold-vectors",
    folder: config.indexDir,
    generation: store.meta.generation() + 1,
    spaceId,
    quantization: config.quantization,
    memoryLimitBytes: config.memoryLimitBytes,
    threads: config.workers,
  })
  check()
  store.transaction(() => {
    store.meta.advanceGeneration()
    store.derived.replace("vectors", spaceId, folded.rows)
    store.vectors.remove(spaceId, folded.files)
    store.tombstones.remove("vectors", spaceId, folded.dead)
  })
  context.onProgress("fold", 1, 1)
}
