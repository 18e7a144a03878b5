import { join } from "node:path"
import {
  type DerivedRow,
  type SpaceRow,
  type Store,
  type VectorsRow,
  verifyDerived,
} from "../../store/index.ts"
import { ExactIndex, nearestFirst, type RowFilter, type VectorTable } from "./exact.ts"
import { openFlat } from "./flat-file.ts"
import { type Graph, openGraph } from "./graph-file.ts"
import { HnswIndex } from "./graphs.ts"
import {
  CHUNK_KEY_STRIDE,
  type ChunkKey,
  type ChunkScorer,
  isFileVector,
  type VectorHit,
  type VectorIndex,
} from "./port.ts"
import { packedBytes, packRows, rowsInMemory, toScanRows } from "./rows.ts"

/**
 * Opens the committed vectors of one space: base and deltas, without removed files. A base that is missing or damaged
 * is left out; `isComplete` is then false.
 */
export function openVectors(store: Store, folder: string, space: SpaceRow): VectorSet {
  const { parts, deltas, dead } = store.consistently(() => ({
    parts: store.derived.of("vectors", space.id),
    deltas: store.vectors.all(space.id),
    dead: store.tombstones.all("vectors", space.id),
  }))
  const base = parts.length === 0 ? null : openBase(folder, parts, space.dimensions)
  const delta = new ExactIndex(deltaTable(deltas, space.dimensions))
  // The delta of a file replaces all vectors that the base has for the file.
  const hidden = new Set([...dead, ...deltas.map((row) => row.fileId)])
  return new VectorSet(base, delta, hidden, parts.length === 0 || base !== null)
}

/** Searches base and deltas as one index, without removed files. */
class VectorSet implements VectorIndex {
  /** False if the base could not be used although there should be one, so that it must be made again. */
  readonly isComplete: boolean
  readonly #base: VectorIndex | null
  readonly #delta: VectorIndex
  /** Ids of the files whose vectors in the base are ignored. */
  readonly #hidden: ReadonlySet<number>

  constructor(
    base: VectorIndex | null,
    delta: VectorIndex,
    hidden: ReadonlySet<number>,
    isComplete: boolean,
  ) {
    this.#base = base
    this.#delta = delta
    this.#hidden = hidden
    this.isComplete = isComplete
  }

  /** Number of vectors. Those of removed files count until the next merge. */
  get size(): number {
    return (this.#base?.size ?? 0) + this.#delta.size
  }

  search(query: Float32Array, limit: number, accept?: RowFilter): VectorHit[] {
    const visible = this.#visible(accept)
    const near = this.#delta.search(query, limit, accept)
    if (this.#base === null) return near
    const far = this.#base.search(query, limit, visible)
    return near.length === 0 ? far : [...near, ...far].sort(nearestFirst).slice(0, limit)
  }

  get(key: ChunkKey): Float32Array | null {
    return this.#delta.get(key) ?? (this.#isHidden(key) ? null : (this.#base?.get(key) ?? null))
  }

  scorer(query: Float32Array): ChunkScorer {
    const near = this.#delta.size === 0 ? null : this.#delta.scorer(query)
    const far = this.#base?.scorer(query) ?? (() => 0)
    return (key, last) => (this.#isHidden(key) ? (near?.(key, last) ?? 0) : far(key, last))
  }

  [Symbol.dispose](): void {
    this.#base?.[Symbol.dispose]()
    this.#delta[Symbol.dispose]()
  }

  #visible(accept: RowFilter | undefined): RowFilter | undefined {
    if (this.#hidden.size === 0) return accept
    if (accept === undefined) return (key) => !this.#isHidden(key)
    return (key) => !this.#isHidden(key) && accept(key)
  }

  #isHidden(key: ChunkKey): boolean {
    return this.#hidden.has(Math.floor(key / CHUNK_KEY_STRIDE))
  }
}

/** Number of the part that contains the table. The other parts of a base are graphs over the table. */
export const TABLE_PART = 0

/** Opens the table of a base, with its graphs if it has any; null if the table cannot be used. */
function openBase(folder: string, parts: readonly DerivedRow[], dimensions: number): VectorIndex | null {
  const exact = openTable(folder, parts, dimensions)
  if (exact === null) return null
  const graphs = openGraphs(folder, parts, dimensions)
  return graphs === null ? exact : new HnswIndex(exact, graphs, parts.at(-1)!.count)
}

/**
 * Opens the table of a base; null if it cannot be used. A thread that reads it only once passes `isMapped` false,
 * because the foreign function calls for mapping would stay in memory.
 */
export function openTable(
  folder: string,
  parts: readonly DerivedRow[],
  dimensions: number,
  isMapped = true,
): ExactIndex | null {
  const row = parts.find(({ part }) => part === TABLE_PART)
  if (row === undefined || verifyDerived(folder, row) === null) return null
  try {
    const table = openFlat(join(folder, row.name), dimensions, { isMapped })
    return table === null ? null : new ExactIndex(table)
  } catch {
    // The file was removed in the meantime: there is a newer generation, or the file will be made again.
    return null
  }
}

/**
 * Opens all graphs of a base. Null if there are none, or if one of them cannot be used; the table is complete without
 * graphs.
 */
export function openGraphs(
  folder: string,
  parts: readonly DerivedRow[],
  dimensions: number,
  isMapped = true,
): Graph[] | null {
  const rows = parts.filter((row) => row.part !== TABLE_PART)
  const graphs: Graph[] = []
  for (const row of rows) {
    const graph =
      verifyDerived(folder, row) === null ? null : openGraph(join(folder, row.name), dimensions, isMapped)
    if (graph === null) {
      for (const opened of graphs) opened[Symbol.dispose]()
      return null
    }
    graphs.push(graph)
  }
  return graphs.length === 0 ? null : graphs
}

/** The rows of a file that are not merged yet: those of its chunks, then the packed ones of the whole file. */
export type PendingVectors = {
  readonly keys: Float64Array
  /** Number of keys that belong to chunks. */
  readonly searched: number
  readonly chunks: Int8Array
  readonly fileVectors: Uint8Array
}

/**
 * Encodes the vectors of a file as a row of the database, as in a table. `vectors` has one vector for each ordinal, with
 * those of the whole file last.
 */
export function toVectorsRow(
  fileId: number,
  ordinals: readonly number[],
  vectors: Float32Array,
  dimensions: number,
): VectorsRow {
  const split = ordinals.filter((ordinal) => !isFileVector(ordinal)).length * dimensions
  const chunks = toScanRows(vectors.subarray(0, split), dimensions)
  const fileVectors = toScanRows(vectors.subarray(split), dimensions)
  return {
    fileId,
    ordinals: new Uint8Array(Uint16Array.from(ordinals).buffer),
    rows: Buffer.concat([new Uint8Array(chunks.buffer), packRows(fileVectors, dimensions)]),
  }
}

/** Decodes such a row; null if its sizes are inconsistent. */
export function fromVectorsRow(row: VectorsRow, dimensions: number): PendingVectors | null {
  if (row.ordinals.length % 2 !== 0) return null
  const ordinals = new Uint16Array(row.ordinals.slice().buffer)
  const keys = Float64Array.from(ordinals, (ordinal) => row.fileId * CHUNK_KEY_STRIDE + ordinal)
  const searched = ordinals.findLastIndex((ordinal) => !isFileVector(ordinal)) + 1
  const split = row.rows.length - (ordinals.length - searched) * packedBytes(dimensions)
  if (split !== searched * dimensions) return null
  const chunks = new Int8Array(row.rows.buffer, row.rows.byteOffset, split)
  return { keys, searched, chunks, fileVectors: row.rows.subarray(split) }
}

/** The delta rows as a table in memory. Scores are the same as after the merge. */
export function deltaTable(rows: readonly VectorsRow[], dimensions: number): VectorTable {
  const parts = rows.flatMap((row) => fromVectorsRow(row, dimensions) ?? [])
  const searched = parts.reduce((sum, part) => sum + part.searched, 0)
  const count = parts.reduce((sum, part) => sum + part.keys.length, 0)
  const keys = new Float64Array(count)
  const chunks = new Int8Array(searched * dimensions)
  const width = packedBytes(dimensions)
  const fileVectors = new Int8Array((count - searched) * width)
  let chunk = 0
  let copied = 0
  for (const part of parts) {
    keys.set(part.keys.subarray(0, part.searched), chunk)
    keys.set(part.keys.subarray(part.searched), searched + copied)
    chunks.set(part.chunks, chunk * dimensions)
    fileVectors.set(part.fileVectors, copied * width)
    chunk += part.searched
    copied += part.keys.length - part.searched
  }
  const order = Uint32Array.from(keys, (_, row) => row).sort((a, b) => keys[a]! - keys[b]!)
  return {
    ...{ dimensions, keys, searched, order, scan: chunks },
    chunks: rowsInMemory(chunks, dimensions),
    fileVectors: rowsInMemory(fileVectors, width),
  }
}

/**
 * Ids of the files that have vectors in a space, merged or not. The vectors of a base that cannot be used do not count.
 */
export function embeddedFiles(store: Store, folder: string, space: SpaceRow): Set<number> {
  const { parts, deltas } = store.consistently(() => ({
    parts: store.derived.of("vectors", space.id),
    deltas: store.vectors.fileIds(space.id),
  }))
  const files = new Set(deltas)
  using index = openTable(folder, parts, space.dimensions)
  const keys = index?.table.keys ?? new Float64Array()
  // The keys of one file mostly follow each other.
  let last = -1
  for (let i = 0; i < keys.length; i++) {
    const file = Math.floor(keys[i]! / CHUNK_KEY_STRIDE)
    if (file !== last) files.add(file)
    last = file
  }
  return files
}
