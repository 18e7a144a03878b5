import { firstNot } from "../../base/index.ts"
import { type ExactIndex, nearestFirst, OVERFETCH, type RowFilter } from "./exact.ts"
import type { Graph } from "./graph-file.ts"
import type { Native, NativeGraph } from "./native.ts"
import type { ChunkKey, ChunkScorer, VectorHit, VectorIndex } from "./port.ts"
import { MAX_COMPARED_ROWS, RowProducts } from "./products.ts"
import { copyRows } from "./rows.ts"

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

type GraphOptions = {
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
  const { keys, chunks, dimensions } = exact.table
  const graph = newGraph(native, dimensions)
  for (let at = rows.from; at < rows.to; at += ADD_ROWS) {
    const to = Math.min(rows.to, at + ADD_ROWS)
    const names = BigUint64Array.from(keys.subarray(at, to), BigInt)
    graph.add(names, copyRows(chunks, at, to, dimensions), options.threads)
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

// The parameter efSearch of HNSW. A search for more keys than this uses the number of keys instead.
const EXPANSION = 64

/** Keys of the nearest `limit` nodes in a graph, nearest first, found by HNSW (Malkov and Yashunin 2016). */
export function searchGraph(graph: Graph, query: Float32Array, limit: number): number[] {
  if (graph.shape.levels.length === 0) return []
  const search = searchFor(graph.shape.dimensions)
  return search.keysOf(graph, search.nearest(graph, query, limit))
}

let searches: ReadonlyMap<number, GraphSearch> = new Map()

/** The GraphSearch for a number of dimensions. All searches with this number share it, and so its memory. */
function searchFor(dimensions: number): GraphSearch {
  const existing = searches.get(dimensions)
  if (existing !== undefined) return existing
  const search = new GraphSearch(dimensions)
  searches = new Map([...searches, [dimensions, search]])
  return search
}

/**
 * Searches one graph. The content of the file is not trusted: invalid node numbers are skipped and no node is visited
 * twice, so that a file which is altered while it is open only makes the results worse.
 */
export class GraphSearch {
  readonly #products: RowProducts
  readonly #near = new NearestNodes()
  readonly #met = new NumberSet()
  /** The nodes whose rows are in the memory for comparison. */
  readonly #nodes = new Uint32Array(MAX_COMPARED_ROWS)

  constructor(dimensions: number, products = new RowProducts(dimensions)) {
    this.#products = products
  }

  nearest(graph: Graph, query: Float32Array, limit: number): number[] {
    this.#products.setQuery(query)
    const near = this.#near
    this.#met.clear()
    near.clear(Math.max(EXPANSION, limit))
    this.#meet(graph, this.#descend(graph))
    for (let node = near.take(); node >= 0; node = near.take()) {
      const unmet = this.#unmet(graph, node)
      this.#compare(graph, unmet)
      for (let i = 0; i < unmet; i++) near.offer(this.#nodes[i]!, this.#products.similarity(i))
    }
    return near.best(limit)
  }

  keysOf({ file, places }: Graph, nodes: readonly number[]): number[] {
    const { room, shape, numbers } = this.#products
    return nodes.map((node) => {
      file.copy(places.keys + node * 8, 8, room, shape.spare)
      return numbers[0]!
    })
  }

  #meet(graph: Graph, node: number): void {
    this.#met.add(node)
    this.#nodes[0] = node
    this.#compare(graph, 1)
    this.#near.offer(node, this.#products.similarity(0))
  }

  /** Goes from the top level down to level 1, always to the nearest neighbour. Returns the last node. */
  #descend(graph: Graph): number {
    let node = 0
    this.#nodes[0] = node
    this.#compare(graph, 1)
    let best = this.#products.similarity(0)
    for (let level = graph.shape.levels.length - 1; level > 0; level--) {
      for (let from = -1; from !== node; ) {
        from = node
        const found = this.#links(graph, level, from)
        this.#nodes.set(this.#products.words.subarray(0, found))
        this.#compare(graph, found)
        for (let i = 0; i < found; i++) {
          const similarity = this.#products.similarity(i)
          if (!(similarity > best)) continue
          best = similarity
          node = this.#nodes[i]!
        }
      }
    }
    return node
  }

  /** Copies the neighbours of a node that were not visited yet to `#nodes`, and returns their number. */
  #unmet(graph: Graph, node: number): number {
    const links = this.#links(graph, 0, node)
    const { words } = this.#products
    let found = 0
    for (let i = 0; i < links; i++) {
      const next = words[i]!
      if (this.#met.add(next)) this.#nodes[found++] = next
    }
    return found
  }

  /** Copies the neighbours of a node on a level to `words`, and returns their number. */
  #links({ file, places, shape }: Graph, level: number, node: number): number {
    const { room, shape: at, words } = this.#products
    file.copy(places.starts[level]! + node * 4, 8, room, at.spare)
    const [start, end] = [words[0]!, words[1]!]
    if (start > end || end > shape.links) return 0
    const count = Math.min(end - start, MAX_COMPARED_ROWS)
    file.copy(places.links + start * 4, count * 4, room, at.spare)
    const nodes = shape.levels[level]!
    let kept = 0
    for (let i = 0; i < count; i++) if (words[i]! < nodes) words[kept++] = words[i]!
    return kept
  }

  #compare({ file }: Graph, count: number): void {
    const { room, shape } = this.#products
    file.gather(this.#nodes, count, shape.stride, room, shape.rows)
    this.#products.compare(count)
  }
}

const INITIAL_PLACES = 1 << 13
/** A table with more places than this is replaced by a small one at the next `clear`. */
const MAX_REUSED_PLACES = 1 << 16
/** The multiplier 2³² ÷ golden ratio, which spreads numbers over the table. */
const SPREAD = 0x9e37_79b1

/** A reusable set of numbers below 2³² − 1: a hash table with open addressing. */
export class NumberSet {
  /** Each place contains a number plus 1; 0 means that the place is empty. */
  #places = new Uint32Array(INITIAL_PLACES)
  #count = 0

  clear(): void {
    if (this.#places.length > MAX_REUSED_PLACES) this.#places = new Uint32Array(INITIAL_PLACES)
    else this.#places.fill(0)
    this.#count = 0
  }

  /** Adds a number; false if the set already contains it. */
  add(number: number): boolean {
    const places = this.#places
    const place = indexOfNumber(places, number)
    if (places[place] !== 0) return false
    places[place] = number + 1
    if (++this.#count > places.length / 2) this.#grow()
    return true
  }

  #grow(): void {
    const grown = new Uint32Array(this.#places.length * 2)
    for (const value of this.#places) if (value !== 0) grown[indexOfNumber(grown, value - 1)] = value
    this.#places = grown
  }
}

/** The place of a number, or the empty place where it would be stored. */
function indexOfNumber(places: Uint32Array, number: number): number {
  const mask = places.length - 1
  let place = (Math.imul(number, SPREAD) >>> 8) & mask
  while (places[place] !== 0 && places[place] !== number + 1) place = (place + 1) & mask
  return place
}

/** Added to the number of a node once `take` has returned the node. */
const TAKEN = 2 ** 31

/**
 * The best nodes visited so far, best first, up to a capacity. Nodes with equal distances are in the order in which
 * they were visited. A node that is dropped is farther away than all others, so the search would not visit its
 * neighbours.
 */
export class NearestNodes {
  #capacity = 0
  #scores = new Float64Array(0)
  #nodes = new Uint32Array(0)
  #count = 0
  /** Position before which all nodes have been returned by `take`. */
  #open = 0

  clear(capacity: number): void {
    if (capacity > this.#scores.length) {
      this.#scores = new Float64Array(capacity)
      this.#nodes = new Uint32Array(capacity)
    }
    this.#capacity = capacity
    this.#count = 0
    this.#open = 0
  }

  offer(node: number, score: number): void {
    if (Number.isNaN(score)) return
    const isFull = this.#count === this.#capacity
    if (isFull && !(score > this.#scores[this.#count - 1]!)) return
    const place = firstNot(0, this.#count, (place) => this.#scores[place]! >= score)
    const last = isFull ? this.#count - 1 : this.#count
    this.#scores.copyWithin(place + 1, place, last)
    this.#nodes.copyWithin(place + 1, place, last)
    this.#scores[place] = score
    this.#nodes[place] = node
    if (!isFull) this.#count++
    if (place < this.#open) this.#open = place
  }

  /** Returns the best node that was not returned yet; −1 if there is none. */
  take(): number {
    while (this.#open < this.#count && this.#nodes[this.#open]! >= TAKEN) this.#open++
    if (this.#open === this.#count) return -1
    const node = this.#nodes[this.#open]!
    this.#nodes[this.#open++] = node + TAKEN
    return node
  }

  /** The best `limit` nodes. */
  best(limit: number): number[] {
    return Array.from(this.#nodes.subarray(0, Math.min(limit, this.#count)), (node) =>
      node >= TAKEN ? node - TAKEN : node,
    )
  }
}

/**
 * Minimum number of bytes of i8 rows for building a graph. With fewer, a scan takes at most 5 ms, and a graph would
 * cost more than it saves (docs/decisions/02-vectors.md). It corresponds to 87,381 vectors of 768 dimensions, or
 * 262,144 of 256.
 */
export const GRAPH_MIN_BYTES = 64 << 20
/** New rows are in no graph and are compared one by one, until their bytes reach this share of GRAPH_MIN_BYTES. */
const TAIL_SHARE = 0.125
/** Maximum number of graphs, because each one is searched separately. */
const MAX_GRAPHS = 6
/** Maximum share of removed rows in the graphs; if it is exceeded, the graphs are built again. */
const MAX_DEAD_SHARE = 0.25

export type GraphPlan = {
  /** True to keep the existing graphs. */
  readonly keep: boolean
  /** Graphs are built over the rows from this number on; null to build none. */
  readonly buildFrom: number | null
}

/**
 * Decides which graphs a table gets. The `count` of a graph is how many of the table's first rows it and the graphs
 * before it contain.
 */
export function planGraphs(table: {
  readonly rows: number
  readonly dimensions: number
  readonly graphs: readonly { readonly count: number }[]
  /** Number of rows in the graphs, including rows that were removed since. */
  readonly built: number
  readonly graphMinBytes?: number | undefined
}): GraphPlan {
  const { rows, dimensions, graphs, graphMinBytes = GRAPH_MIN_BYTES } = table
  if (rows * dimensions < graphMinBytes) return { keep: false, buildFrom: null }
  const covered = graphs.at(-1)?.count ?? 0
  if (graphs.length === 0 || covered < table.built * (1 - MAX_DEAD_SHARE))
    return { keep: false, buildFrom: 0 }
  if ((rows - covered) * dimensions < graphMinBytes * TAIL_SHARE) return { keep: true, buildFrom: null }
  return graphs.length >= MAX_GRAPHS ? { keep: false, buildFrom: 0 } : { keep: true, buildFrom: covered }
}
