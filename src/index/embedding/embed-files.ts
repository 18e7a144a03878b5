import { rmSync } from "node:fs"
import { join } from "node:path"
import { compareTexts } from "../../base/compare-texts.ts"
import { log } from "../../base/log.ts"
import { type CodeModel, createStaticEmbedder, isBuiltIn } from "../../embed/static.ts"
import { sweepDerived } from "../../store/derived/derived-files.ts"
import type { SpaceRow } from "../../store/index/spaces.ts"
import type { Store } from "../../store/index/store.ts"
import { embeddedFiles } from "../../vector/set.ts"
import { batchesOf } from "../pipeline/batches.ts"
import { bytesLeft } from "../pipeline/memory-plan.ts"
import type { EmbedWork } from "../pipeline/messages.ts"
import { isLarge } from "../pipeline/rank-if-due.ts"
import type { RunContext } from "../pipeline/run.ts"
import type { EmbeddableFile } from "./embed-source.ts"

const BATCH_FILES = 64
// With more files than this, the vectors are written directly into a new table; as deltas they would be written twice.
const MAX_DELTA_FILES = 512
// Minimum and maximum size, in bytes of source text, of the part of the files that one task embeds. A part smaller than
// `min` is embedded in the time that another worker thread needs to start.
const PART_BYTES = { min: 256 << 10, max: 16 << 20 }
// Unmerged vectors are merged when there are more of them than DELTA_SHARE times the number of chunks, limited to this
// range. Their number is kept small, because they are searched one by one and reloaded after every commit of another
// process.
const MIN_VECTORS = 2_000
const MAX_VECTORS = 8_192
const DELTA_SHARE = 0.1

/**
 * Embeds all files that have no vectors yet. Few files are stored as deltas in the database, which are merged into the
 * table of vectors when there are enough of them. In a first run, or for very many files, workers write the vectors to
 * files (parts), which are merged at once. Meanwhile, searches answer without these vectors. `others` is work that runs
 * at the same time; it has ended when this function returns.
 */
export async function embedFiles(
  context: RunContext,
  check: Check,
  others: readonly (() => Promise<void>)[] = [],
): Promise<void> {
  const { store, config } = context
  const space = builtInSpace(store, config.index.dir, config.embeddings.static)
  const missing = filesWithout(store, config.index.dir, space)
  const isFirst = store.derived.of("vectors", space.id).length === 0
  const writesParts = isFirst || missing.length > MAX_DELTA_FILES
  const parts = writesParts ? partsOf(missing, space, config.index.workers) : []
  const embed = writesParts
    ? (check: Check) => embedParts(context, check, parts)
    : (check: Check) => embedAsDeltas(context, check, space, missing)
  try {
    await allOf(check, [...others, embed])
    if (writesParts ? missing.length > 0 : isMergeDue(context, space)) {
      await merge(context, check, space, parts)
    }
  } finally {
    for (const { name } of parts) removePart(join(config.index.dir, name))
  }
}

type Check = () => void

/**
 * Removes the file of a part. On Windows this fails while a terminated worker still has it open; it is then removed
 * when the folder is next cleaned up.
 */
function removePart(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch (error) {
    log.debug("a part was left", { path, reason: String(error) })
  }
}

type EmbedPart = { readonly name: string; readonly files: readonly EmbeddableFile[] }

/**
 * Divides the files into parts for the workers. Parts are in path order, so that the resulting table does not depend on
 * the number of threads.
 */
function partsOf(missing: readonly EmbeddableFile[], space: SpaceRow, workers: number): EmbedPart[] {
  return batchesOf(missing, workers, PART_BYTES).map((files, i) => ({
    name: `vectors-${space.id}-part-${i}.tmp`,
    files,
  }))
}

async function embedParts(context: RunContext, check: Check, parts: readonly EmbedPart[]): Promise<void> {
  const total = sum(parts.map(({ files }) => files.length))
  const done = parts.map(() => 0)
  const waiting = parts.entries()
  const lanes = Array.from(
    { length: Math.min(parts.length, context.config.index.workers) },
    () => async (check: Check) => {
      for (const [i, { name, files }] of waiting) {
        check()
        const onProgress = (files: number) => {
          done[i] = files
          context.onProgress("embed", sum(done), total)
        }
        await context.pool().run({ kind: "embed-part", name, ...workOn(context, files) }, { onProgress })
        onProgress(files.length)
      }
    },
  )
  await allOf(check, lanes)
}

/**
 * Like `Promise.all`, but always waits until all works have ended, so that none of them still runs during later steps.
 * After one work has failed, the `check` function of the others throws the same error, so that they end soon. At the
 * end this function throws it.
 */
async function allOf(check: Check, works: readonly ((check: Check) => Promise<void>)[]): Promise<void> {
  let failed: { readonly of: unknown } | null = null
  const checkAll = () => {
    check()
    if (failed !== null) throw failed.of
  }
  const note = (error: unknown) => {
    failed ??= { of: error }
  }
  await Promise.all(works.map((work) => work(checkAll).catch(note)))
  checkAll()
}

async function embedAsDeltas(
  context: RunContext,
  check: Check,
  space: SpaceRow,
  missing: readonly EmbeddableFile[],
): Promise<void> {
  const { store } = context
  for (let at = 0; at < missing.length; at += BATCH_FILES) {
    context.onProgress("embed", at, missing.length)
    const work = workOn(context, missing.slice(at, at + BATCH_FILES))
    const { vectors } = await context.pool().run({ kind: "embed", ...work })
    check()
    store.transaction(() => store.vectors.add(space.id, vectors))
  }
}

function workOn({ root, config }: RunContext, files: readonly EmbeddableFile[]): EmbedWork {
  return {
    root,
    folder: config.index.dir,
    model: config.embeddings.static,
    quantization: config.performance.quantization,
    maxFileBytes: config.index.maxFileBytes,
    files,
  }
}

/** True when enough vectors are unmerged for a merge to be worth its time. */
export function isMergeDue({ store }: RunContext, space: SpaceRow): boolean {
  const waiting = store.vectors.pending(space.id).vectors
  const share = store.files.totals().chunks * DELTA_SHARE
  return waiting > Math.min(MAX_VECTORS, Math.max(MIN_VECTORS, share))
}

/** Merges the unmerged vectors into the space's next generation. */
export function mergeWaiting(context: RunContext, check: Check, space: SpaceRow): Promise<void> {
  return merge(context, check, space, [])
}

/** Merges the unmerged vectors, and the vectors in the files `parts`, into the next generation. */
async function merge(
  context: RunContext,
  check: Check,
  space: SpaceRow,
  parts: readonly EmbedPart[],
): Promise<void> {
  const { store, config } = context
  const merged = await context.pool().run(
    {
      kind: "merge-vectors",
      folder: config.index.dir,
      generation: store.meta.generation() + 1,
      spaceId: space.id,
      quantization: config.performance.quantization,
      memoryLimitBytes: bytesLeft(config.performance.memoryLimitBytes),
      threads: config.index.workers,
      parts: parts.map(({ name }) => name),
    },
    {
      isAlone: isLarge(store),
      onProgress: (done, total = done) => context.onProgress("link", done, total),
    },
  )
  check()
  store.transaction(() => {
    store.meta.advanceGeneration()
    store.derived.replace("vectors", space.id, merged.rows)
    store.vectors.remove(space.id, merged.files)
    store.tombstones.remove("vectors", space.id, merged.dead)
  })
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/** Indexed files without vectors in a space, in path order. */
function filesWithout(store: Store, folder: string, space: SpaceRow): EmbeddableFile[] {
  const present = embeddedFiles(store, folder, space)
  const missing = store.files.ids().filter((id) => !present.has(id))
  return store.files.named(missing).sort((a, b) => compareTexts(a.path, b.path))
}

/**
 * Returns the row of a built-in space. If the space is new, the row is inserted and the vectors of other built-in
 * spaces are dropped.
 */
function builtInSpace(store: Store, folder: string, model: CodeModel): SpaceRow {
  const { space } = createStaticEmbedder(model)
  const found = store.spaces.find(space)
  if (found !== null) return found
  const old = store.spaces.all().filter(isBuiltIn)
  store.transaction(() => {
    for (const { id } of old) store.removeSpace(id)
    store.spaces.ensure(space)
  })
  if (old.length > 0) sweepDerived(folder, store.derived.all())
  return store.spaces.find(space)!
}
