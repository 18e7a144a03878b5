import { closeSync, fstatSync, readSync } from "node:fs"
import { openRegularFile } from "../../base/files/files.ts"
import { openRandomAccessFile, type RandomAccessFile } from "../../store/derived/random-access-file.ts"
import { rowBytes } from "../exact/row-products.ts"

/*
 * One HNSW graph in the form in which it is searched, little-endian. Nodes of higher levels have lower numbers: the
 * search enters at node 0, and the nodes of a level are 0 to its count − 1.
 *
 *   rows    (i8 × dimensions, zeros up to a multiple of 4, f32: 1 ÷ its length) × nodes
 *   keys    f64 × nodes, from a multiple of 8 bytes on
 *   links   u32                     numbers of nodes: each node's neighbours, level after level from 0 on
 *   starts  u32 × (nodes of the level + 1) for each level: index of each node's first neighbour in `links`, then the
 * end
 *   levels  u32 for each level: how many nodes it has
 *   footer  u32 × 8                 magic, format, dimensions, nodes, levels, links, 0, 0
 */
const MAGIC = 0x474e_4d41 // "AMNG"
const FORMAT = 1
const FOOTER_BYTES = 32
/**
 * Maximum number of levels that is accepted. usearch makes far fewer, because each level has a sixteenth of the nodes
 * of the level below.
 */
const MAX_LEVELS = 32

export type GraphShape = {
  readonly dimensions: number
  readonly links: number
  /** Number of nodes on each level, from level 0 on. */
  readonly levels: readonly number[]
}

/** A graph that is open for searching. */
export type Graph = Disposable & {
  readonly shape: GraphShape
  readonly places: GraphPlaces
  readonly file: RandomAccessFile
}

/** Offsets in bytes of the parts of the file; `starts` has one offset for each level. */
export type GraphPlaces = {
  readonly keys: number
  readonly links: number
  readonly starts: readonly number[]
  readonly end: number
}

/** Opens the graph in a verified file; null if it has other dimensions or cannot be opened. */
export function openGraph(path: string, dimensions: number, isMapped = true): Graph | null {
  try {
    const shape = readShape(path)
    if (shape === null || shape.dimensions !== dimensions) return null
    const file = openRandomAccessFile(path, isMapped)
    return { shape, places: placesOf(shape), file, [Symbol.dispose]: () => file[Symbol.dispose]() }
  } catch {
    // The file cannot be read, or was removed in the meantime. The rows are then scanned instead.
    return null
  }
}

/** The levels and the footer, which are the end of the file. */
export function tail({ dimensions, links, levels }: GraphShape): Uint32Array {
  return Uint32Array.of(...levels, ...[MAGIC, FORMAT, dimensions, levels[0] ?? 0, levels.length, links, 0, 0])
}

export function placesOf({ dimensions, links, levels }: GraphShape): GraphPlaces {
  const nodes = levels[0] ?? 0
  const keys = Math.ceil((nodes * rowBytes(dimensions)) / 8) * 8
  const linksAt = keys + nodes * 8
  const starts: number[] = []
  let at = linksAt + links * 4
  for (const count of levels) {
    starts.push(at)
    at += (count + 1) * 4
  }
  return { keys, links: linksAt, starts, end: at + levels.length * 4 + FOOTER_BYTES }
}

function readShape(path: string): GraphShape | null {
  const file = openRegularFile(path)
  try {
    const { size } = fstatSync(file)
    if (size < FOOTER_BYTES) return null
    const [magic, format, dimensions, nodes, count, links] = readWords(file, size - FOOTER_BYTES, 8)
    if (magic !== MAGIC || format !== FORMAT || count! > MAX_LEVELS) return null
    const levels = readWords(file, size - FOOTER_BYTES - count! * 4, count!)
    const shape = { dimensions: dimensions!, links: links!, levels }
    const isDescending = levels.every((own, i) => own > 0 && own <= (levels[i - 1] ?? nodes!))
    return isDescending && (levels[0] ?? 0) === nodes && placesOf(shape).end === size ? shape : null
  } finally {
    closeSync(file)
  }
}

function readWords(file: number, at: number, count: number): number[] {
  const words = new Uint32Array(count)
  return readSync(file, words, 0, count * 4, at) === count * 4 ? Array.from(words) : []
}
