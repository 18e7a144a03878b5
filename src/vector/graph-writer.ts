import { rmSync } from "node:fs"
import { BlockWriter } from "./block-writer.ts"
import { lengthOf } from "./cosine.ts"
import { type GraphShape, placesOf, tail } from "./graph-file.ts"
import type { NativeGraph } from "./native.ts"
import { rowBytes } from "./row-products.ts"
import { openUsearchFile, type UsearchFile } from "./usearch-file.ts"

/** A graph that was built, as it is searched. What usearch saves lies beside it meanwhile. */
export function saveGraph(graph: Pick<NativeGraph, "save">, path: string): void {
  const saved = `${path}.usearch`
  try {
    graph.save(saved)
    writeGraph(saved, path)
  } finally {
    rmSync(saved, { force: true })
  }
}

/** What usearch saved, as it is searched (graph-file.ts). 20 bytes of memory a node. */
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
    const own = new Uint32Array(count + 1)
    for (let i = 0; i < count; i++) {
      const neighbours = saved.links(order[i]!, level).map((node) => numbers[node]!)
      out.write(neighbours)
      own[i] = links
      links += neighbours.length
    }
    own[count] = links
    starts.push(own)
  }
  const shape: GraphShape = { dimensions: saved.dimensions, links, levels }
  for (const own of starts) out.write(own)
  out.write(tail(shape))
  out.flush()
  if (out.length !== placesOf(shape).end) throw new Error("a graph was written in another shape than it says")
}

/** The nodes in their new order: by level, highest first, the entry before all; and how many each level has. */
function byLevel({ levels, entry }: UsearchFile): { order: Uint32Array; levels: number[] } {
  const counts: number[] = []
  for (const level of levels) for (let i = 0; i <= level; i++) counts[i] = (counts[i] ?? 0) + 1
  const order = new Uint32Array(levels.length)
  if (order.length === 0) return { order, levels: counts }
  order[0] = entry
  // A level's nodes stand behind those of the levels above it; the entry has taken the first place of its own.
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
