import { closeSync, fstatSync, readSync } from "node:fs"
import { openRegularFile } from "../../base/files/files.ts"

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
const BLOCK_BYTES = 1 << 16

/** The parts of a usearch file that are needed to convert it. */
export type UsearchFile = Disposable & {
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
export function openUsearchFile(path: string): UsearchFile {
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
      if (block.buffer.byteLength < length) block = new Uint8Array(Math.max(BLOCK_BYTES, length))
      start = at
      block = new Uint8Array(block.buffer, 0)
      block = block.subarray(0, readSync(file, block, 0, block.length, at))
      if (block.length < length) throw new Error("usearch saved less than a graph")
    }
    return new DataView(block.buffer, block.byteOffset + at - start, length)
  }
}
