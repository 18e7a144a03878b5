import { readableText } from "../../parse/index.ts"
import {
  type CachedVector,
  EmbeddingCache,
  isDamage,
  type SpaceRow,
  type Store,
  sweepDerived,
  type UnembeddedFile,
  type VectorsRow,
  verifyDerived,
} from "../../store/index.ts"
import { readSource } from "../../text/index.ts"
import { BATCH_TEXTS, type ConfiguredEmbedder } from "../embed/embedder.ts"
import type { EmbeddingSpace } from "../embed/port.ts"
import { isBuiltIn } from "../embed/static.ts"
import { isMergeDue, mergeWaiting, type RunContext } from "../pipeline/run.ts"
import { toVectorsRow } from "../vector/set.ts"

export type ConfiguredContext = RunContext & {
  readonly embedder: ConfiguredEmbedder
  readonly cache: VectorCache
  /** Throws when embedding must stop, for example because the run was cancelled. */
  readonly check: () => void
  /** Runs work that must not overlap with an index run, once no index run is in progress. */
  readonly exclusively: <T>(act: () => Promise<T>) => Promise<T>
  /** Called between commits, so that other work need not wait until all files are embedded. */
  readonly pause: () => Promise<void>
}

type PendingFile = { readonly file: UnembeddedFile; readonly ordinals: number[]; readonly texts: string[] }

/**
 * Number of chunks per commit. With more, a crash would lose more work; with fewer, readers would have to reload more
 * often.
 */
const COMMIT_CHUNKS = 64
/**
 * The unmerged vectors are merged when there are more than MIN_WAITING of them and more than this share of the embedded
 * chunks. The share is large, because each merge rewrites the whole table, and no reader uses these vectors before all
 * files have them.
 */
const WAITING_SHARE = 0.25
const MIN_WAITING = 8_192

/**
 * Gives every file vectors of the configured embedder (Ollama or an API). It continues where an earlier call ended.
 * Steps, repeated for groups of files: read the files, embed their chunks, commit the vectors as a small table, and
 * merge the small tables into the large one when there are many. Only chunks are embedded: whole files, names and paths
 * have vectors of the built-in model.
 */
export async function embedConfigured(context: ConfiguredContext): Promise<void> {
  const { store, embedder, check } = context
  const { dir } = context.config.index
  const space = await context.exclusively(async () => enterSpace(store, dir, embedder.space))
  await dropUnsound(context, space)
  const tried = new Set<number>()
  for (;;) {
    // Queried in each round, because files may have changed while others were being embedded.
    const missing = store.embedded.missing(space.id).filter(({ id }) => !tried.has(id))
    if (missing.length === 0) break
    for (const group of groupFiles(missing)) {
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

/** Embeds those files of a group that have not changed since they were indexed. The others follow in the next run. */
async function embedGroup(
  context: ConfiguredContext,
  space: SpaceRow,
  group: readonly UnembeddedFile[],
): Promise<void> {
  const { store, embedder, cache } = context
  const read = group.flatMap((file) => readChunks(context, file) ?? [])
  const vectors = await embedCached(
    read.flatMap(({ texts }) => texts),
    embedder,
    cache,
  )
  context.check()
  const rows = toRows(read, vectors, space)
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
  const source = readSource(root, file.path, config.index.maxFileBytes, {
    indexed: store.texts,
  })
  if ("reason" in source || source.hash !== file.hash) return null
  const lines = readableText(file.path, source.text).split("\n")
  const chunks = store.chunks.ofFile(file.id)
  return {
    file,
    ordinals: chunks.map(({ ordinal }) => ordinal),
    texts: chunks.map((chunk) => lines.slice(chunk.startLine - 1, chunk.endLine).join("\n")),
  }
}

/** The rows to store. A chunk that could not be embedded gets none, because a zero vector has no direction. */
function toRows(read: readonly PendingFile[], vectors: Float32Array, { dimensions }: SpaceRow): VectorsRow[] {
  let first = 0
  return read.flatMap(({ file, ordinals }) => {
    const chunkRows = ordinals.map((ordinal, i) => {
      const at = (first + i) * dimensions
      return { ordinal, row: vectors.subarray(at, at + dimensions) }
    })
    first += ordinals.length
    const embedded = chunkRows.filter(({ row }) => !isZero(row))
    if (embedded.length === 0) return []
    const together = new Float32Array(embedded.length * dimensions)
    for (const [i, { row }] of embedded.entries()) together.set(row, i * dimensions)
    const embeddedOrdinals = embedded.map(({ ordinal }) => ordinal)
    return [toVectorsRow(file.id, embeddedOrdinals, together, dimensions)]
  })
}

function groupFiles(files: readonly UnembeddedFile[]): UnembeddedFile[][] {
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

/**
 * Forgets a merged table that is missing or altered, so that its files count as not embedded. Most of the vectors are
 * still in the cache, so embedding the files again is cheap.
 */
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
 * Returns one vector for each text; a text that cannot be embedded gets zeros. Each vector comes from the cache, or is
 * computed and added to the cache.
 */
async function embedCached(
  texts: readonly string[],
  embedder: ConfiguredEmbedder,
  cache: VectorCache,
): Promise<Float32Array> {
  const { dimensions } = embedder.space
  const prepared = texts.map(embedder.prepare)
  const different = [...new Set(prepared)].filter((text) => text !== "")
  const vectorOf = new Map<string, Float32Array>()
  const hashes = different.map(textHash)
  for (const [i, row] of cache.get(embedder.space, hashes).entries())
    if (row?.length === dimensions * F16_BYTES) vectorOf.set(different[i]!, fromHalves(row))
  const uncached = different.filter((text) => !vectorOf.has(text))
  for (let at = 0; at < uncached.length; at += BATCH_TEXTS) {
    const batch = uncached.slice(at, at + BATCH_TEXTS)
    const vectors = await embedder.embedPrepared(batch)
    const computed = batch.flatMap((text, i) => {
      const vector = vectors.subarray(i * dimensions, (i + 1) * dimensions)
      return isZero(vector) ? [] : [{ text, row: toHalves(vector) }]
    })
    // Stored at once, so that what was paid for a batch is not lost when the process dies.
    cache.put(
      embedder.space,
      computed.map(({ text, row }) => ({ hash: textHash(text), row })),
    )
    // Rounded like the cached vectors, so that an index from cached vectors equals an index from computed ones.
    for (const { text, row } of computed) vectorOf.set(text, fromHalves(row))
  }
  const out = new Float32Array(texts.length * dimensions)
  for (const [i, text] of prepared.entries()) out.set(vectorOf.get(text) ?? [], i * dimensions)
  return out
}

/** A vector as the cache has it: f16, little-endian. */
function toHalves(vector: Float32Array): Uint8Array {
  return new Uint8Array(new Float16Array(vector).buffer)
}

function fromHalves(row: Uint8Array): Float32Array {
  return new Float32Array(new Float16Array(row.slice().buffer))
}

function isZero(row: Float32Array): boolean {
  return row.every((value) => value === 0)
}

/** The cache key of a text. It is a cryptographic hash, because all projects of the user share the cache. */
export function textHash(text: string): Uint8Array {
  return new Bun.CryptoHasher("sha256").update(text).digest().subarray(0, HASH_BYTES)
}

/** Why the configured embedder failed, and what the user can do. */
export type EmbedderFailure = { readonly message: string; readonly hint: string | null }

const FAILURE_KEY = "embedder_failure"

/**
 * The row of the configured space, which is the space of the embedder that the user configured (Ollama or an API). Null
 * if there is none. There is never more than one.
 */
export function configuredSpace(store: Store): SpaceRow | null {
  return store.spaces.all().find((space) => !isBuiltIn(space)) ?? null
}

/**
 * Returns the row of a configured space. If the space is new, the row is inserted and the vectors of the previous
 * configured space are dropped.
 */
function enterSpace(store: Store, folder: string, space: EmbeddingSpace): SpaceRow {
  const found = store.spaces.find(space)
  if (found !== null) return found
  leaveSpace(store, folder)
  store.transaction(() => store.spaces.ensure(space))
  return store.spaces.find(space)!
}

/**
 * Deletes the vectors of the configured space, and derived files that are unused after that. Does nothing if there is
 * no configured space.
 */
export function leaveSpace(store: Store, folder: string): void {
  const old = configuredSpace(store)
  if (old === null) return
  store.transaction(() => store.removeSpace(old.id))
  sweepDerived(folder, store.derived.all())
}

export function embedderFailure(store: Store): EmbedderFailure | null {
  const json = store.meta.get(FAILURE_KEY)
  return json === null ? null : (JSON.parse(json) as EmbedderFailure)
}

/** Stores the last failure in the index, so that every process can report it. Written only when it changes. */
export function storeEmbedderFailure(store: Store, failure: EmbedderFailure | null): void {
  const json = failure === null ? null : JSON.stringify(failure)
  if (json === store.meta.get(FAILURE_KEY)) return
  if (json === null) store.meta.remove(FAILURE_KEY)
  else store.meta.set(FAILURE_KEY, json)
}

/** Name of the cache in the user's data folder. */
export const CACHE_FILE = "embeddings.db"

/** Cache of vectors. When it cannot be used, indexing continues without it, and `failure` returns the reason. */
export type VectorCache = {
  readonly failure: () => string | null
  readonly get: (space: EmbeddingSpace, hashes: readonly Uint8Array[]) => readonly (Uint8Array | null)[]
  readonly put: (space: EmbeddingSpace, vectors: readonly CachedVector[]) => void
  readonly [Symbol.dispose]: () => void
}

/**
 * Returns a cache that is opened at its first use. A damaged cache is deleted and created again once; `onDamage` is
 * then called. Any other error, or a second damage, disables the cache.
 */
export function openVectorCache(path: string, now: () => number, onDamage: () => void): VectorCache {
  let cache: EmbeddingCache | null = null
  let failure: string | null = null
  let isNew = false
  const attempt = <T>(act: (cache: EmbeddingCache) => T, otherwise: T): T => {
    if (failure !== null) return otherwise
    try {
      cache ??= isNew ? EmbeddingCache.openNew(path, { now }) : EmbeddingCache.open(path, { now })
      return act(cache)
    } catch (error) {
      cache?.close()
      cache = null
      if (isDamage(error) && !isNew) {
        isNew = true
        onDamage()
        return attempt(act, otherwise)
      }
      failure = `vectors are not kept for other work trees: ${error instanceof Error ? error.message : error}`
      return otherwise
    }
  }
  return {
    failure: () => failure,
    get: (space, hashes) =>
      attempt(
        (open) => open.get(space, hashes),
        hashes.map(() => null),
      ),
    put: (space, vectors) => {
      if (vectors.length > 0) attempt((open) => open.put(space, vectors), undefined)
    },
    [Symbol.dispose]: () => cache?.close(),
  }
}
