import { type ExactIndex, nearestFirst, OVERFETCH, type RowFilter } from "../exact/exact.ts"
import { toScanRows } from "../exact/quantize.ts"
import type { ChunkKey, ChunkScorer, VectorHit, VectorIndex } from "../port.ts"
import type { Graph } from "./graph-file.ts"
import { searchGraph } from "./graph-search.ts"
import type { Native, NativeGraph } from "./native.ts"

// The parameters M (links per node) and efConstruction (nodes that are examined when a node is added) of HNSW.
const CONNECTIVITY = 16
const EXPANSION_ADD = 128
/**
 * Factor by which a second search returns more rows, if a filter left too few. It suffices for filters that accept
 * about one row in eight; for stricter filters, the table is scanned.
 */
const WIDER = 4

/** How many proposed rows are scored. It is more than requested, because the rows in a graph are rounded to i8. */
const SCORED = { factor: 1.25, plus: 16 } as const

/**
 * Bytes of memory per row, besides the row itself. Measured: 260 to 350, of which 150 are links, and the rest tables
 * that double when they are full.
 */
const OVERHEAD_PER_ROW = 360
/** Number of rows that are added before the event loop gets a turn, which takes some 50 ms. */
const ADD_ROWS = 1024

export type GraphOptions = {
  /** Memory limit of the graph that is being built, in bytes. When it is reached, another graph is started. */
  readonly memoryLimitBytes: number
  readonly threads: number
  readonly onAdded?: ((done: number, total: number) => void) | undefined
  /** Must write the graph, and return when it is durable. */
  readonly save: (graph: NativeGraph, rows: { readonly from: number; readonly to: number }) => Promise<void>
}

/**
 * Builds graphs over the rows of a table with numbers of at least `from`: one, or several if the memory limit requires
 * it.
 */
export async function buildGraphs(
  native: Native,
  exact: ExactIndex,
  from: number,
  options: GraphOptions,
): Promise<void> {
  const { dimensions, searched } = exact.table
  const maxRows = Math.max(ADD_ROWS, Math.floor(options.memoryLimitBytes / (dimensions + OVERHEAD_PER_ROW)))
  for (let start = from; start < searched; start += maxRows) {
    const onAdded = (to: number) => options.onAdded?.(to - from, searched - from)
    await buildGraph(
      native,
      exact,
      { from: start, to: Math.min(searched, start + maxRows) },
      options,
      onAdded,
    )
    // The native memory of a graph is freed only when its object is garbage-collected.
    Bun.gc(true)
  }
}

async function buildGraph(
  native: Native,
  exact: ExactIndex,
  rows: { readonly from: number; readonly to: number },
  options: GraphOptions,
  onAdded: (to: number) => void,
): Promise<void> {
  const { keys, dimensions } = exact.table
  const graph = newGraph(native, dimensions)
  for (let at = rows.from; at < rows.to; at += ADD_ROWS) {
    const to = Math.min(rows.to, at + ADD_ROWS)
    const names = BigUint64Array.from(keys.subarray(at, to), BigInt)
    graph.add(names, toScanRows(exact.read(at, to), dimensions), options.threads)
    onAdded(to)
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  await options.save(graph, rows)
}

/**
 * Search with graphs: the graphs propose rows, and the table scores them. Rows with numbers of at least `covered` are
 * in no graph and are scanned. If a filter leaves too few proposed rows, the whole table is scanned with the filter,
 * which is exact and takes some milliseconds.
 */
export class HnswIndex implements VectorIndex {
  readonly #exact: ExactIndex
  readonly #graphs: readonly Graph[]
  readonly #covered: number

  constructor(exact: ExactIndex, graphs: readonly Graph[], covered: number) {
    this.#exact = exact
    this.#graphs = graphs
    this.#covered = covered
  }

  get size(): number {
    return this.#exact.size
  }

  search(query: Float32Array, limit: number, accept?: RowFilter): VectorHit[] {
    const probe = this.#exact.probe(query)
    if (probe === null || limit <= 0) return []
    const rows = this.#propose(probe.vector, limit, accept)
    if (rows === null) return this.#exact.search(query, limit, accept)
    const hits = this.#exact.score(probe, rows, limit)
    const tail = this.#exact.searchFrom(this.#covered, query, limit, accept)
    return tail.length === 0 ? hits : [...hits, ...tail].sort(nearestFirst).slice(0, limit)
  }

  get(key: ChunkKey): Float32Array | null {
    return this.#exact.get(key)
  }

  scorer(query: Float32Array): ChunkScorer {
    return this.#exact.scorer(query)
  }

  [Symbol.dispose](): void {
    this.#exact[Symbol.dispose]()
    for (const graph of this.#graphs) graph[Symbol.dispose]()
  }

  /**
   * The rows that the graphs propose: at least `limit`, or as many as the graphs contain. Null if there are
   * fewer, usually because of a filter.
   */
  #propose(vector: Float32Array, limit: number, accept: RowFilter | undefined): number[] | null {
    const enough = Math.min(limit, this.#covered)
    const first = limit * OVERFETCH.factor + OVERFETCH.plus
    const scored = limit * SCORED.factor + SCORED.plus
    for (const wanted of [first, first * WIDER]) {
      const rows = this.#graphs.flatMap((graph) => this.#ask(graph, vector, wanted, accept).slice(0, scored))
      if (rows.length >= enough) return rows
    }
    return null
  }

  /** The rows that one graph proposes and `accept` allows, without chunks that are no longer in the table. */
  #ask(graph: Graph, query: Float32Array, wanted: number, accept: RowFilter | undefined): number[] {
    return searchGraph(graph, query, wanted)
      .filter((key) => accept === undefined || accept(key))
      .map((key) => this.#exact.rowOf(key))
      .filter((row) => row >= 0)
  }
}

export function newGraph(native: Native, dimensions: number): NativeGraph {
  // usearch only builds the graph and never searches it, so the value of its last parameter (for searching) does not
  // matter.
  return new native.CompiledIndex(dimensions, "cos", "i8", CONNECTIVITY, EXPANSION_ADD, EXPANSION_ADD, false)
}
