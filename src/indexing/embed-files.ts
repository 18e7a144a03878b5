import type { SpaceRow } from "../store/spaces.ts"
import { builtInSpace } from "./built-in-space.ts"
import type { EmbeddableFile } from "./embed-source.ts"
import { filesWithout } from "./files-without.ts"
import { isLarge } from "./is-large.ts"
import type { RunContext } from "./run.ts"

const BATCH_FILES = 64
// More files than this go straight into a new table; written as deltas first they would be written twice.
const MANY_FILES = 512
// Waiting vectors are scanned exactly, and loaded anew with every commit of another process.
const FEW_VECTORS = 2_000
const MOST_VECTORS = 8_192
const DELTA_SHARE = 0.1

/** Embeds whatever has no vector yet, and folds when enough of it waits. Search answers without, meanwhile. */
export async function embedFiles(context: RunContext, check: () => void): Promise<void> {
  const { store, config } = context
  const space = builtInSpace(store, config.index.dir, config.embeddings.static)
  const missing = filesWithout(store, config.index.dir, space)
  const isFirst = store.derived.of("vectors", space.id).length === 0
  const straight = isFirst || missing.length > MANY_FILES
  if (!straight) await embedAsDeltas(context, check, space, missing)
  if (straight ? missing.length > 0 : isFoldDue(context, space)) {
    await fold(context, check, space, straight ? missing.length : null)
  }
}

async function embedAsDeltas(
  context: RunContext,
  check: () => void,
  space: SpaceRow,
  missing: readonly EmbeddableFile[],
): Promise<void> {
  const { store, config } = context
  for (let at = 0; at < missing.length; at += BATCH_FILES) {
    context.onProgress("embed", at, missing.length)
    const { vectors } = await context.pool().run({
      kind: "embed",
      root: context.root,
      folder: config.index.dir,
      model: config.embeddings.static,
      quantization: config.performance.quantization,
      maxFileBytes: config.index.maxFileBytes,
      files: missing.slice(at, at + BATCH_FILES),
    })
    check()
    store.transaction(() => store.vectors.add(space.id, vectors))
  }
}

/** Whether so many vectors wait that they are to be folded. */
export function isFoldDue({ store }: RunContext, space: SpaceRow): boolean {
  const waiting = store.vectors.pending(space.id).vectors
  const share = store.files.totals().chunks * DELTA_SHARE
  return waiting > Math.min(MOST_VECTORS, Math.max(FEW_VECTORS, share))
}

/** Takes the vectors that wait into the space's next generation. */
export function foldWaiting(context: RunContext, check: () => void, space: SpaceRow): Promise<void> {
  return fold(context, check, space, null)
}

/** `embedding`: how many files the fold embeds itself; null where it only takes in what waits. */
async function fold(
  context: RunContext,
  check: () => void,
  space: SpaceRow,
  embedding: number | null,
): Promise<void> {
  const { store, config, root } = context
  const folded = await context.pool().run(
    {
      kind: "fold-vectors",
      folder: config.index.dir,
      generation: store.meta.generation() + 1,
      spaceId: space.id,
      quantization: config.performance.quantization,
      memoryLimitBytes: config.performance.memoryLimitBytes,
      threads: config.index.workers,
      embed: embedding === null ? null : { root, maxFileBytes: config.index.maxFileBytes },
    },
    {
      isAlone: isLarge(store),
      onProgress: (done, linking) =>
        linking === undefined
          ? context.onProgress("embed", done, embedding ?? done)
          : context.onProgress("link", done, linking),
    },
  )
  check()
  store.transaction(() => {
    store.meta.advanceGeneration()
    store.derived.replace("vectors", space.id, folded.rows)
    store.vectors.remove(space.id, folded.files)
    store.tombstones.remove("vectors", space.id, folded.dead)
  })
}
