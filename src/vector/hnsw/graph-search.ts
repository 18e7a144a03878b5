import { firstNot } from "../../base/sorted.ts"
import { MAX_ROWS, RowProducts } from "../exact/row-products.ts"
import type { Graph } from "./graph-file.ts"

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
  readonly #nodes = new Uint32Array(MAX_ROWS)

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
    const count = Math.min(end - start, MAX_ROWS)
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
