import { readableText } from "../code/readable-text.ts"
import type { RemoteEmbedder } from "../embed/remote.ts"
import { sweepDerived, verifyDerived } from "../store/derived-files.ts"
import type { UnembeddedFile } from "../store/embedded.ts"
import type { SpaceRow } from "../store/spaces.ts"
import type { VectorsRow } from "../store/vectors.ts"
import { readSource } from "../text/read-source.ts"
import { toVectorsRow } from "../vector/delta.ts"
import { embedCached, isZero } from "./embed-cached.ts"
import { foldWaiting, isFoldDue } from "./embed-files.ts"
import { enterSpace } from "./other-space.ts"
import type { RunContext } from "./run.ts"
import type { VectorKeep } from "./vector-keep.ts"

export type OtherContext = RunContext & {
  readonly embedder: RemoteEmbedder
  readonly keep: VectorKeep
  /** Throws when this must end. */
  readonly check: () => void
  /** Runs what must not meet a run of the index. */
  readonly exclusively: <T>(act: () => Promise<T>) => Promise<T>
  /** Called between commits, for what cannot wait until the end. */
  readonly pause: () => Promise<void>
}

type Read = { readonly file: UnembeddedFile; readonly ordinals: number[]; readonly texts: string[] }

/** Chunks that are committed together: few enough to lose, enough not to disturb every reader all the time. */
const COMMIT_CHUNKS = 64
/** While nobody reads them yet, waiting vectors are folded seldom: each fold writes all that there is. */
const WAITING_SHARE = 0.25
const LEAST_WAITING = 8_192

/**
 * Gives every file vectors in the embedder's space, file by file, and goes on where an earlier call ended. Only
 * chunks: whole files, names and paths are matched by the built-in space.
 */
export async function embedOther(context: OtherContext): Promise<void> {
  const { store, embedder, check } = context
  const { dir } = context.config.index
  const space = await context.exclusively(async () => enterSpace(store, dir, embedder.space))
  await dropUnsound(context, space)
  const tried = new Set<number>()
  for (;;) {
    // Files may have changed while others were embedded.
    const missing = store.embedded.missing(space.id).filter(({ id }) => !tried.has(id))
    if (missing.length === 0) break
    for (const group of groupsOf(missing)) {
      check()
      for (const { id } of group) tried.add(id)
      await embedGroup(context, space, group)
      reportProgress(context, space)
      await foldIfMany(context, space)
      await context.pause()
    }
  }
  if (isFoldDue(context, space)) await fold(context, space)
}

/** Files that are the same still, with the text of their chunks; the next run sees the others. */
async function embedGroup(
  context: OtherContext,
  space: SpaceRow,
  group: readonly UnembeddedFile[],
): Promise<void> {
  const { store, config, embedder, keep } = context
  const read = group.flatMap((file) => readChunks(context, file) ?? [])
  const vectors = await embedCached(
    read.flatMap(({ texts }) => texts),
    embedder,
    keep,
    config.embeddings.batchSize,
  )
  context.check()
  const rows = toRows(read, vectors, space, config.performance.quantization)
  store.transaction(() => {
    const living = new Set(
      store.embedded.add(
        space.id,
        read.map(({ file }) => file.id),
      ),
    )
    store.vectors.add(
      space.id,
      rows.filter(({ fileId }) => living.has(fileId)),
    )
  })
}

function readChunks({ store, root, config }: OtherContext, file: UnembeddedFile): Read | null {
  const source = readSource(root, file.path, config.index.maxFileBytes)
  if ("reason" in source || source.hash !== file.hash) return null
  const lines = readableText(file.path, source.text).split("\n")
  const chunks = store.chunks.ofFile(file.id)
  return {
    file,
    ordinals: chunks.map(({ ordinal }) => ordinal),
    texts: chunks.map((chunk) => lines.slice(chunk.startLine - 1, chunk.endLine).join("\n")),
  }
}

/** A chunk that could not be embedded has no vector, rather than one without direction. */
function toRows(
  read: readonly Read[],
  vectors: Float32Array,
  { dimensions }: SpaceRow,
  quantization: OtherContext["config"]["performance"]["quantization"],
): VectorsRow[] {
  let first = 0
  return read.flatMap(({ file, ordinals }) => {
    const own = ordinals.map((ordinal, i) => {
      const at = (first + i) * dimensions
      return { ordinal, row: vectors.subarray(at, at + dimensions) }
    })
    first += ordinals.length
    const embedded = own.filter(({ row }) => !isZero(row))
    if (embedded.length === 0) return []
    const together = new Float32Array(embedded.length * dimensions)
    for (const [i, { row }] of embedded.entries()) together.set(row, i * dimensions)
    const numbers = embedded.map(({ ordinal }) => ordinal)
    return [toVectorsRow(file.id, numbers, together, { dimensions, quantization })]
  })
}

function groupsOf(files: readonly UnembeddedFile[]): UnembeddedFile[][] {
  const groups: UnembeddedFile[][] = []
  let chunks = COMMIT_CHUNKS
  for (const file of files) {
    if (chunks >= COMMIT_CHUNKS) {
      groups.push([])
      chunks = 0
    }
    groups.at(-1)!.push(file)
    chunks += Math.max(1, file.chunks)
  }
  return groups
}

/** A base that is missing or altered is forgotten; most of its vectors are kept elsewhere. */
async function dropUnsound({ store, config, exclusively }: OtherContext, space: SpaceRow): Promise<void> {
  const rows = store.derived.of("vectors", space.id)
  if (rows.every((row) => verifyDerived(config.index.dir, row) !== null)) return
  await exclusively(async () => {
    store.transaction(() => {
      store.derived.replace("vectors", space.id, [])
      store.embedded.keepWaiting(space.id)
    })
  })
}

function reportProgress({ store, onProgress }: OtherContext, space: SpaceRow): void {
  const { chunks, allChunks } = store.embedded.share(space.id)
  onProgress("send", chunks, allChunks)
}

async function foldIfMany(context: OtherContext, space: SpaceRow): Promise<void> {
  const { store } = context
  const { chunks } = store.embedded.share(space.id)
  const waiting = store.vectors.pending(space.id).vectors
  if (waiting > Math.max(LEAST_WAITING, chunks * WAITING_SHARE)) await fold(context, space)
}

async function fold(context: OtherContext, space: SpaceRow): Promise<void> {
  await context.exclusively(async () => {
    context.check()
    await foldWaiting(context, context.check, space)
    sweepDerived(context.config.index.dir, context.store.derived.all())
    context.store.checkpoint()
  })
}
