import { closeSync, fstatSync, readSync, rmSync } from "node:fs"
import { createFile, openRegularFile, pathOfOpen, writeAll } from "../../base/index.ts"
import { openRandomAccessFile, type RandomAccessFile } from "../../store/index.ts"
import type { NativeGraph } from "./native.ts"
import { rowBytes } from "./products.ts"
import { lengthOf } from "./rows.ts"

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

type GraphShape = {
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
type GraphPlaces = {
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
function tail({ dimensions, links, levels }: GraphShape): Uint32Array {
  return Uint32Array.of(...levels, ...[MAGIC, FORMAT, dimensions, levels[0] ?? 0, levels.length, links, 0, 0])
}

function placesOf({ dimensions, links, levels }: GraphShape): GraphPlaces {
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

/**
 * Writes a graph that was built by usearch in the form in which it is searched. Meanwhile, usearch's own file is next
 * to it, as `<path>.usearch`.
 */
export function saveGraph(graph: Pick<NativeGraph, "save">, path: string): void {
  const saved = `${path}.usearch`
  const file = createFile(saved)
  try {
    // Uses the path of the file descriptor, because usearch opens a path itself and would follow a link that was put
    // there in the meantime.
    graph.save(pathOfOpen(file) ?? saved)
    writeGraph(saved, path)
  } finally {
    closeSync(file)
    rmSync(saved, { force: true })
  }
}

/** Converts a file of usearch to the format of graph-file.ts. Needs 20 bytes of memory per node. */
function writeGraph(from: string, to: string): void {
  using saved = openUsearchFile(from)
  const { order, levels } = byLevel(saved)
  using out = new BlockWriter(to)
  writeRows(saved, order, out)
  out.write(new Uint8Array(-out.length & 7))
  for (const node of order) out.write(Float64Array.of(saved.key(node)))
  const numbers = new Uint32Array(order.length)
  for (let i = 0; i < order.length; i++) numbers[order[i]!] = i
  const starts: Uint32Array[] = []
  let links = 0
  for (const [level, count] of levels.entries()) {
    const levelStarts = new Uint32Array(count + 1)
    for (let i = 0; i < count; i++) {
      const neighbours = saved.links(order[i]!, level).map((node) => numbers[node]!)
      out.write(neighbours)
      levelStarts[i] = links
      links += neighbours.length
    }
    levelStarts[count] = links
    starts.push(levelStarts)
  }
  const shape: GraphShape = { dimensions: saved.dimensions, links, levels }
  for (const levelStarts of starts) out.write(levelStarts)
  out.write(tail(shape))
  out.flush()
  if (out.length !== placesOf(shape).end) throw new Error("a graph was written in another shape than it says")
}

/**
 * The nodes in their new order (the entry node first, then by level, highest first), and the number of nodes on each
 * level.
 */
function byLevel({ levels, entry }: UsearchFile): { order: Uint32Array; levels: number[] } {
  const counts: number[] = []
  for (const level of levels) for (let i = 0; i <= level; i++) counts[i] = (counts[i] ?? 0) + 1
  const order = new Uint32Array(levels.length)
  if (order.length === 0) return { order, levels: counts }
  order[0] = entry
  // The nodes of a level come after those of the levels above. The entry node has the first place of its level.
  const next = counts.map((_, level) => counts[level + 1] ?? 0)
  next[levels[entry]!]!++
  for (let node = 0; node < levels.length; node++) if (node !== entry) order[next[levels[node]!]!++] = node
  return { order, levels: counts }
}

function writeRows(saved: UsearchFile, order: Uint32Array, out: BlockWriter): void {
  const { dimensions } = saved
  const record = new Int8Array(rowBytes(dimensions))
  const scale = new Float32Array(record.buffer, record.length - 4)
  for (const node of order) {
    record.set(saved.row(node))
    const length = lengthOf(record, 0, dimensions)
    scale[0] = length === 0 ? 0 : 1 / length
    out.write(record)
  }
}

const BLOCK_BYTES = 1 << 18

/** Writes many small pieces to a file, collected in blocks. */
class BlockWriter implements Disposable {
  readonly #file: number
  readonly #block = new Uint8Array(BLOCK_BYTES)
  #filled = 0
  #written = 0

  constructor(path: string) {
    this.#file = createFile(path)
  }

  /** Number of bytes written so far. */
  get length(): number {
    return this.#written + this.#filled
  }

  write(data: NodeJS.TypedArray): void {
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    if (this.#filled + bytes.length > BLOCK_BYTES) this.flush()
    if (bytes.length > BLOCK_BYTES) {
      writeAll(this.#file, bytes)
      this.#written += bytes.length
      return
    }
    this.#block.set(bytes, this.#filled)
    this.#filled += bytes.length
  }

  flush(): void {
    writeAll(this.#file, this.#block.subarray(0, this.#filled))
    this.#written += this.#filled
    this.#filled = 0
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
  }
}

/*
 * File format of usearch 2.26, little-endian (its include/usearch/index_dense.hpp and index.hpp, save_to_stream):
 *
 *   u32 nodes, u32 bytes of a row; rows
 *   64 bytes: "usearch", u16 × 3 version, u8 × 4 kinds, u64 present, u64 deleted, u64 dimensions, u8 multi
 *   u64 × 5: nodes, connectivity, connectivity of level 0, highest level, entry
 *   i16 × nodes: each node's level
 *   nodes: u64 key, i16 level, then for each level from 0 on u32 count, u32 × connectivity neighbours
 */
const HEAD_BYTES = 8
const DENSE_BYTES = 64
const GRAPH_BYTES = 40
const NAME_BYTES = 10
const NAME = "usearch"
const READ_BYTES = 1 << 16

/** The parts of a usearch file that are needed to convert it. */
type UsearchFile = Disposable & {
  readonly dimensions: number
  /** The highest level of each node. */
  readonly levels: Int16Array
  readonly entry: number
  row(node: number): Int8Array
  key(node: number): number
  /** The neighbours of a node on a level. The node must have that level. */
  links(node: number, level: number): Uint32Array
}

/** Opens a usearch file. Throws if it is not in the format described above. */
function openUsearchFile(path: string): UsearchFile {
  const file = openRegularFile(path)
  try {
    return readFrom(file)
  } catch (error) {
    closeSync(file)
    throw error
  }
}

function readFrom(file: number): UsearchFile {
  const { size } = fstatSync(file)
  const read = blockReader(file)
  const [nodes, dimensions] = [read(0, HEAD_BYTES).getUint32(0, true), read(0, HEAD_BYTES).getUint32(4, true)]
  const denseAt = HEAD_BYTES + nodes * dimensions
  const dense = read(denseAt, DENSE_BYTES + GRAPH_BYTES)
  const name = Buffer.from(dense.buffer, dense.byteOffset, NAME.length).toString("latin1")
  const numbers = Array.from({ length: 5 }, (_, i) => Number(dense.getBigUint64(DENSE_BYTES + i * 8, true)))
  const [count, connectivity, baseConnectivity, , entry] = numbers as [number, number, number, number, number]
  const levelsAt = denseAt + DENSE_BYTES + GRAPH_BYTES
  const levels = new Int16Array(nodes)
  readSync(file, levels, 0, nodes * 2, levelsAt)
  const nodesAt = levelsAt + nodes * 2
  const before = levelsBefore(levels)
  const [baseBytes, levelBytes] = [NAME_BYTES + 4 + baseConnectivity * 4, 4 + connectivity * 4]
  const nodeAt = (node: number) => nodesAt + node * baseBytes + before[node]! * levelBytes
  if (name !== NAME || count !== nodes || nodeAt(nodes) !== size || (nodes > 0 && entry >= nodes))
    throw new Error("usearch saved a graph in another form than version 2.26")
  return {
    dimensions,
    levels,
    entry,
    row: (node) => {
      const { buffer, byteOffset } = read(HEAD_BYTES + node * dimensions, dimensions)
      return new Int8Array(buffer, byteOffset, dimensions)
    },
    key: (node) => Number(read(nodeAt(node), 8).getBigUint64(0, true)),
    links: (node, level) => {
      const at =
        nodeAt(node) + NAME_BYTES + (level === 0 ? 0 : baseBytes - NAME_BYTES + (level - 1) * levelBytes)
      const maxLinks = level === 0 ? baseConnectivity : connectivity
      const bytes = read(at, 4 + maxLinks * 4)
      const links = new Uint32Array(Math.min(bytes.getUint32(0, true), maxLinks))
      for (let i = 0; i < links.length; i++) links[i] = bytes.getUint32(4 + i * 4, true)
      return links
    },
    [Symbol.dispose]: () => closeSync(file),
  }
}

/** For each node, the sum of the levels of all nodes before it. The last element is the total. */
function levelsBefore(levels: Int16Array): Uint32Array {
  const before = new Uint32Array(levels.length + 1)
  for (let i = 0; i < levels.length; i++) before[i + 1] = before[i]! + levels[i]!
  return before
}

/**
 * Returns a function that reads byte ranges of a file, usually from the block that it read last. A result is valid
 * until the next call.
 */
function blockReader(file: number): (at: number, length: number) => DataView {
  let block = new Uint8Array(0)
  let start = 0
  return (at, length) => {
    if (at < start || at + length > start + block.length) {
      if (block.buffer.byteLength < length) block = new Uint8Array(Math.max(READ_BYTES, length))
      start = at
      block = new Uint8Array(block.buffer, 0)
      block = block.subarray(0, readSync(file, block, 0, block.length, at))
      if (block.length < length) throw new Error("usearch saved less than a graph")
    }
    return new DataView(block.buffer, block.byteOffset + at - start, length)
  }
}
