import { closeSync, rmSync } from "node:fs"
import { createFile } from "../../base/files/create-file.ts"
import { writeAll } from "../../base/files/files.ts"
import { pathOfOpen } from "../../base/files/open-folder.ts"
import { lengthOf } from "../exact/cosine.ts"
import { rowBytes } from "../exact/row-products.ts"
import { type GraphShape, placesOf, tail } from "./graph-file.ts"
import type { NativeGraph } from "./native.ts"
import { openUsearchFile, type UsearchFile } from "./usearch-file.ts"

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
