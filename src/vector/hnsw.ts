import { type Accept, type ExactIndex, nearestFirst, OVERFETCH } from "./exact.ts"
import type { Graph } from "./graph-file.ts"
import { searchGraph } from "./graph-search.ts"
import type { Native, NativeGraph } from "./native.ts"
import type { ChunkKey, Scorer, VectorHit, VectorIndex } from "./port.ts"
import { toScanRows } from "./quantize.ts"

// The seed's parameters (M 16, efConstruction 128).
const CONNECTIVITY = 16
const EXPANSION_ADD = 128
/** A filter that lets one in eight through costs a second, wider search; a stricter one a scan. */
const WIDER = 4

/** Graphs know the rows but for their rounding: so many of what they propose are scored, and the best kept. */
const SCORED = { factor: 1.25, plus: 16 } as const

/** Measured 260 to 350: 150 of links, the rest tables that double when they are full. */
const OVERHEAD_PER_ROW = 360
/** Rows added between two breaths of the event loop; some 50 ms. */
const ADD_ROWS = 1024

export type GraphOptions = {
  /** Of the graph under construction; beyond it a further file is begun. */
  readonly memoryLimitBytes: number
  readonly threads: number
  readonly onAdded?: ((done: number, total: number) => void) | undefined
  /** Must write the graph and return once it is safe. */
  readonly save: (graph: NativeGraph, rows: { readonly from: number; readonly to: number }) => Promise<void>
}

/** Builds graphs over a table's rows from number `from` on: one, or as many as memory makes necessary. */
export async function buildGraphs(
  native: Native,
  exact: ExactIndex,
  from: number,
  options: GraphOptions,
): Promise<void> {
  const { dimensions, searched } = exact.table
  const mostRows = Math.max(ADD_ROWS, Math.floor(options.memoryLimitBytes / (dimensions + OVERHEAD_PER_ROW)))
  for (let start = from; start < searched; start += mostRows) {
    const onAdded = (to: number) => options.onAdded?.(to - from, searched - from)
    await buildGraph(
      native,
      exact,
      { from: start, to: Math.min(searched, start + mostRows) },
      options,
      onAdded,
    )
    // A graph's memory is not the engine's, and goes only with its object.
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
 * Graphs propose, the table scores. Rows from number `covered` on stand in no graph and are scanned. Where a
 * filter leaves too few of the proposals, the table is scanned with it: exact, some milliseconds.
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

  search(query: Float32Array, limit: number, accept?: Accept): VectorHit[] {
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

  scorer(query: Float32Array): Scorer {
    return this.#exact.scorer(query)
  }

  [Symbol.dispose](): void {
    this.#exact[Symbol.dispose]()
    for (const graph of this.#graphs) graph[Symbol.dispose]()
  }

  /** Rows that may answer, at least `limit` of them; null where that is more than the graphs can be asked for. */
  #propose(vector: Float32Array, limit: number, accept: Accept | undefined): number[] | null {
    const enough = Math.min(limit, this.#covered)
    const first = limit * OVERFETCH.factor + OVERFETCH.plus
    const scored = limit * SCORED.factor + SCORED.plus
    for (const wanted of [first, first * WIDER]) {
      const rows = this.#graphs.flatMap((graph) => this.#ask(graph, vector, wanted, accept).slice(0, scored))
      if (rows.length >= enough) return rows
    }
    return null
  }

  /** A graph may still hold chunks that the table has lost. */
  #ask(graph: Graph, query: Float32Array, wanted: number, accept: Accept | undefined): number[] {
    return searchGraph(graph, query, wanted)
      .filter((key) => accept === undefined || accept(key))
      .map((key) => this.#exact.rowOf(key))
      .filter((row) => row >= 0)
  }
}

export function newGraph(native: Native, dimensions: number): NativeGraph {
  // It is never searched by itself, so that its expansion for that does not matter.
  return new native.CompiledIndex(dimensions, "cos", "i8", CONNECTIVITY, EXPANSION_ADD, EXPANSION_ADD, false)
}
