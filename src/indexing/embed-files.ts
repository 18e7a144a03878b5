import { rmSync } from "node:fs"
import { join } from "node:path"
import { log } from "../base/log.ts"
import type { SpaceRow } from "../store/spaces.ts"
import { batchesOf } from "./batches.ts"
import { builtInSpace } from "./built-in-space.ts"
import type { EmbeddableFile } from "./embed-source.ts"
import { filesWithout } from "./files-without.ts"
import { isLarge } from "./is-large.ts"
import type { EmbedWork } from "./messages.ts"
import type { RunContext } from "./run.ts"

const BATCH_FILES = 64
// More files than this go straight into a new table; written as deltas first they would be written twice.
const MANY_FILES = 512
// Less is embedded in the time that another thread needs until its code is quick.
const PART_BYTES = { least: 256 << 10, most: 16 << 20 }
// Waiting vectors are scanned exactly, and loaded anew with every commit of another process.
const FEW_VECTORS = 2_000
const MOST_VECTORS = 8_192
const DELTA_SHARE = 0.1

/**
 * Embeds whatever has no vector yet, and folds when enough of it waits. Search answers without, meanwhile. `others` is
 * work that goes on beside it, and has ended with it.
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
  const straight = isFirst || missing.length > MANY_FILES
  const parts = straight ? partsOf(missing, space, config.index.workers) : []
  const embed = straight
    ? (check: Check) => embedParts(context, check, parts)
    : (check: Check) => embedAsDeltas(context, check, space, missing)
  try {
    await allOf(check, [...others, embed])
    if (straight ? missing.length > 0 : isFoldDue(context, space)) {
      await fold(context, check, space, parts)
    }
  } finally {
    for (const { name } of parts) removePart(join(config.index.dir, name))
  }
}

type Check = () => void

/** Where a worker that was ended still has it open it may stay, on Windows: the folder's next sweep removes it. */
function removePart(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch (error) {
    log.debug("a part was left", { path, reason: String(error) })
  }
}

type Part = { readonly name: string; readonly files: readonly EmbeddableFile[] }

/** In order, so that the table is the same however many threads make it. */
function partsOf(missing: readonly EmbeddableFile[], space: SpaceRow, workers: number): Part[] {
  return batchesOf(missing, workers, PART_BYTES).map((files, i) => ({
    name: `vectors-${space.id}-part-${i}.tmp`,
    files,
  }))
}

async function embedParts(context: RunContext, check: Check, parts: readonly Part[]): Promise<void> {
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
 * Unlike `Promise.all` ends when all have ended: none goes on beside what comes next. Once one has failed the `check`
 * that all are given throws what it failed of, as this does in the end.
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

/** Whether so many vectors wait that they are to be folded. */
export function isFoldDue({ store }: RunContext, space: SpaceRow): boolean {
  const waiting = store.vectors.pending(space.id).vectors
  const share = store.files.totals().chunks * DELTA_SHARE
  return waiting > Math.min(MOST_VECTORS, Math.max(FEW_VECTORS, share))
}

/** Takes the vectors that wait into the space's next generation. */
export function foldWaiting(context: RunContext, check: Check, space: SpaceRow): Promise<void> {
  return fold(context, check, space, [])
}

/** Takes in what waits, and what was just embedded into files. */
async function fold(
  context: RunContext,
  check: Check,
  space: SpaceRow,
  parts: readonly Part[],
): Promise<void> {
  const { store, config } = context
  const folded = await context.pool().run(
    {
      kind: "fold-vectors",
      folder: config.index.dir,
      generation: store.meta.generation() + 1,
      spaceId: space.id,
      quantization: config.performance.quantization,
      memoryLimitBytes: config.performance.memoryLimitBytes,
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
    store.derived.replace("vectors", space.id, folded.rows)
    store.vectors.remove(space.id, folded.files)
    store.tombstones.remove("vectors", space.id, folded.dead)
  })
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
