import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ExactIndex } from "../../src/index/vector/exact.ts"
import { type FlatFileOptions, FlatWriter, openFlat } from "../../src/index/vector/flat-file.ts"
import { openGraph, saveGraph } from "../../src/index/vector/graph-file.ts"
import { buildGraphs, HnswIndex } from "../../src/index/vector/graphs.ts"
import { loadNative, type Native } from "../../src/index/vector/native.ts"
import { isFileVector } from "../../src/index/vector/port.ts"
import { packRows, toScanRows } from "../../src/index/vector/rows.ts"
import { type MakeIndex, vectorIndexContract } from "./vector-index.ts"

vectorIndexContract("exact scan", exactIndex(loadNative()))
vectorIndexContract("rows read from the file", exactIndex(loadNative(), { mappedBytes: 0 }))
vectorIndexContract(
  "rows read from the file, views too",
  exactIndex(loadNative(), { mappedBytes: 0, isMapped: false }),
)
vectorIndexContract("exact scan without usearch", exactIndex(null))

const native = loadNative()
if (native !== null) {
  vectorIndexContract("one graph", graphIndex(native, { memoryLimitBytes: 1 << 30, covered: 1 }))
  vectorIndexContract(
    "a graph that is read",
    graphIndex(native, { memoryLimitBytes: 1 << 30, covered: 1, isMapped: false }),
  )
  vectorIndexContract("three graphs", graphIndex(native, { memoryLimitBytes: 500_000, covered: 1 }))
  vectorIndexContract(
    "a graph that lacks the last tenth",
    graphIndex(native, { memoryLimitBytes: 1 << 30, covered: 0.9 }),
  )
}

function exactIndex(native: Native | null, options?: FlatFileOptions): MakeIndex {
  return async (keys, vectors, dimensions) => {
    const folder = mkdtempSync(join(tmpdir(), "aman-vector-"))
    const path = await writeFlat(folder, keys, vectors, dimensions)
    const table = openFlat(path, dimensions, options)!
    return { index: new ExactIndex(table, () => native), close: () => rmSync(folder, { recursive: true }) }
  }
}

function graphIndex(
  native: Native,
  options: { memoryLimitBytes: number; covered: number; isMapped?: boolean },
): MakeIndex {
  return async (keys, vectors, dimensions) => {
    const folder = mkdtempSync(join(tmpdir(), "aman-vector-"))
    // The table is like one over which a graph is built: it has no scan rows and is not mapped.
    const path = await writeFlat(folder, keys, vectors, dimensions, 0)
    const exact = new ExactIndex(openFlat(path, dimensions, { mappedBytes: 0 })!, () => native)
    const covered = Math.floor(exact.table.searched * options.covered)
    const part = new ExactIndex({ ...exact.table, searched: covered }, () => native)
    const paths: string[] = []
    await buildGraphs(native, part, 0, {
      memoryLimitBytes: options.memoryLimitBytes,
      threads: 1,
      save: async (graph) => {
        paths.push(join(folder, `${paths.length}.graph`))
        saveGraph(graph, paths.at(-1)!)
      },
    })
    const graphs = paths.map((path) => openGraph(path, dimensions, options.isMapped)!)
    return { index: new HnswIndex(exact, graphs, covered), close: () => rmSync(folder, { recursive: true }) }
  }
}

async function writeFlat(
  folder: string,
  keys: readonly number[],
  vectors: Float32Array,
  dimensions: number,
  scanBelowBytes?: number,
): Promise<string> {
  const path = join(folder, "table.vec")
  const writer = new FlatWriter(path, dimensions, scanBelowBytes)
  // Adds the later keys first, because vectors may arrive in any order.
  const half = Math.floor(keys.length / 2)
  for (const [i] of [...keys.entries()].slice(half)) add(i)
  for (const [i] of [...keys.entries()].slice(0, half)) add(i)
  writer.finish()
  return path

  function add(i: number): void {
    const row = toScanRows(vectors.subarray(i * dimensions, (i + 1) * dimensions), dimensions)
    writer.add(Float64Array.of(keys[i]!), isFileVector(keys[i]!) ? packRows(row, dimensions) : row)
  }
}
