import { readableText } from "../../code/readable-text.ts"
import type { ConfiguredEmbedder } from "../../embed/configured/embedder.ts"
import { sweepDerived, verifyDerived } from "../../store/derived/derived-files.ts"
import type { UnembeddedFile } from "../../store/index/embedded-files.ts"
import type { SpaceRow } from "../../store/index/spaces.ts"
import type { VectorsRow } from "../../store/index/vectors.ts"
import { readSource } from "../../text/files/read-source.ts"
import { decodeRows, encodeRows } from "../../vector/exact/quantize.ts"
import { toVectorsRow } from "../../vector/files/delta.ts"
import type { RunContext } from "../pipeline/run.ts"
import { enterSpace } from "./configured-space.ts"
import { isMergeDue, mergeWaiting } from "./embed-files.ts"
import type { VectorCache } from "./vector-cache.ts"

export type ConfiguredContext = RunContext & {
  readonly embedder: ConfiguredEmbedder
  readonly cache: VectorCache
  /** Throws when embedding must stop, for example because the run was cancelled. */
  readonly check: () => void
  /** Runs work that must not overlap with an index run. */
  readonly exclusively: <T>(act: () => Promise<T>) => Promise<T>
  /** Called between commits, for work that cannot wait until the end. */
  readonly pause: () => Promise<void>
}

type PendingFile = { readonly file: UnembeddedFile; readonly ordinals: number[]; readonly texts: string[] }

/**
 * Chunks per commit: few enough that a crash loses little, enough that readers aren't disturbed all the time.
 */
const COMMIT_CHUNKS = 64
/** No reader uses these vectors yet, so they are merged rarely: each merge rewrites the whole table. */
const WAITING_SHARE = 0.25
const MIN_WAITING = 8_192

/**
 * Gives every file vectors of the configured embedder (Ollama or an API), and resumes where an earlier call ended. Each
 * group of files is read, embedded and committed as a small table of vectors; when many wait, they are merged into the
 * large one. Only chunks are embedded: whole files, names and paths are matched by the vectors of the built-in model.
 */
export async function embedConfigured(context: ConfiguredContext): Promise<void> {
  const { store, embedder, check } = context
  const { dir } = context.config.index
  const space = await context.exclusively(async () => enterSpace(store, dir, embedder.space))
  await dropUnsound(context, space)
  const tried = new Set<number>()
  for (;;) {
    // Files may have changed while others were being embedded.
    const missing = store.embedded.missing(space.id).filter(({ id }) => !tried.has(id))
    if (missing.length === 0) break
    for (const group of groupsOf(missing)) {
      check()
      for (const { id } of group) tried.add(id)
      await embedGroup(context, space, group)
      reportProgress(context, space)
      await mergeIfMany(context, space)
      await context.pause()
    }
  }
  if (isMergeDue(context, space)) await merge(context, space)
}

/** Embeds the files that have not changed since they were indexed; the next run handles the others. */
async function embedGroup(
  context: ConfiguredContext,
  space: SpaceRow,
  group: readonly UnembeddedFile[],
): Promise<void> {
  const { store, config, embedder, cache } = context
  const read = group.flatMap((file) => readChunks(context, file) ?? [])
  const vectors = await embedCached(
    read.flatMap(({ texts }) => texts),
    embedder,
    cache,
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

function readChunks({ store, root, config }: ConfiguredContext, file: UnembeddedFile): PendingFile | null {
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

/** A chunk that could not be embedded gets no vector, because a zero vector has no direction. */
function toRows(
  read: readonly PendingFile[],
  vectors: Float32Array,
  { dimensions }: SpaceRow,
  quantization: ConfiguredContext["config"]["performance"]["quantization"],
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

/** Forgets a merged table that is missing or altered. Most of its vectors are still in the cache. */
async function dropUnsound(
  { store, config, exclusively }: ConfiguredContext,
  space: SpaceRow,
): Promise<void> {
  const rows = store.derived.of("vectors", space.id)
  if (rows.every((row) => verifyDerived(config.index.dir, row) !== null)) return
  await exclusively(async () => {
    store.transaction(() => {
      store.derived.replace("vectors", space.id, [])
      store.embedded.keepPending(space.id)
    })
  })
}

function reportProgress({ store, onProgress }: ConfiguredContext, space: SpaceRow): void {
  const { chunks, allChunks } = store.embedded.share(space.id)
  onProgress("send", chunks, allChunks)
}

async function mergeIfMany(context: ConfiguredContext, space: SpaceRow): Promise<void> {
  const { store } = context
  const { chunks } = store.embedded.share(space.id)
  const waiting = store.vectors.pending(space.id).vectors
  if (waiting > Math.max(MIN_WAITING, chunks * WAITING_SHARE)) await merge(context, space)
}

async function merge(context: ConfiguredContext, space: SpaceRow): Promise<void> {
  await context.exclusively(async () => {
    context.check()
    await mergeWaiting(context, context.check, space)
    sweepDerived(context.config.index.dir, context.store.derived.all())
    context.store.checkpoint()
  })
}

const HASH_BYTES = 16
const F16_BYTES = 2

/**
 * One vector per text, all zeros where the text has none. Taken from the cache, else computed and then
 * cached.
 */
async function embedCached(
  texts: readonly string[],
  embedder: ConfiguredEmbedder,
  cache: VectorCache,
  batchSize: number,
): Promise<Float32Array> {
  const { dimensions } = embedder.space
  const prepared = texts.map(embedder.prepare)
  const different = [...new Set(prepared)].filter((text) => text !== "")
  const known = new Map<string, Float32Array>()
  const hashes = different.map(textHash)
  for (const [i, row] of cache.get(embedder.space, hashes).entries())
    if (row?.length === dimensions * F16_BYTES)
      known.set(different[i]!, decodeRows(row, dimensions, F16_BYTES))
  const unknown = different.filter((text) => !known.has(text))
  for (let at = 0; at < unknown.length; at += batchSize) {
    const batch = unknown.slice(at, at + batchSize)
    const vectors = await embedder.embedPrepared(batch)
    const found = batch.flatMap((text, i) => {
      const vector = vectors.subarray(i * dimensions, (i + 1) * dimensions)
      return isZero(vector) ? [] : [{ text, row: encodeRows(vector, dimensions, F16_BYTES) }]
    })
    // Stored immediately, so that the cost of a batch is not lost when the process dies.
    cache.put(
      embedder.space,
      found.map(({ text, row }) => ({ hash: textHash(text), row })),
    )
    // Rounded as the cache does, so that an index built from cached vectors equals one built from new ones.
    for (const { text, row } of found) known.set(text, decodeRows(row, dimensions, F16_BYTES))
  }
  const out = new Float32Array(texts.length * dimensions)
  for (const [i, text] of prepared.entries()) out.set(known.get(text) ?? [], i * dimensions)
  return out
}

function isZero(row: Float32Array): boolean {
  return row.every((value) => value === 0)
}

/** A strong hash, because all of the user's projects share the cache and these are its keys. */
function textHash(text: string): Uint8Array {
  return new Bun.CryptoHasher("sha256").update(text).digest().subarray(0, HASH_BYTES)
}
