import type { Graph } from "./graph-file.ts"
import { NearestNodes } from "./nearest-nodes.ts"
import { NumberSet } from "./number-set.ts"
import { MOST_ROWS, RowProducts } from "./row-products.ts"

// The seed's parameter (efSearch 64); more where more are asked for, as everywhere.
const EXPANSION = 64

/** Keys of the nearest so many nodes of a graph, as HNSW finds them (Malkov and Yashunin 2016), nearest first. */
export function searchGraph(graph: Graph, query: Float32Array, limit: number): number[] {
  if (graph.shape.levels.length === 0) return []
  const search = searchFor(graph.shape.dimensions)
  return search.keysOf(graph, search.nearest(graph, query, limit))
}

let searches: ReadonlyMap<number, GraphSearch> = new Map()

/** Its memory is used by every search of as many dimensions. */
function searchFor(dimensions: number): GraphSearch {
  const known = searches.get(dimensions)
  if (known !== undefined) return known
  const made = new GraphSearch(dimensions)
  searches = new Map([...searches, [dimensions, made]])
  return made
}

/**
 * Nothing here trusts what a file says: numbers that name no node are passed over, and no node is looked at twice, so
 * that a file that is altered while it is open makes answers worse and nothing else.
 */
export class GraphSearch {
  readonly #products: RowProducts
  readonly #near = new NearestNodes()
  readonly #met = new NumberSet()
  /** Nodes whose rows are in the room. */
  readonly #nodes = new Uint32Array(MOST_ROWS)

  constructor(dimensions: number, products = new RowProducts(dimensions)) {
    this.#products = products
  }

  nearest(graph: Graph, query: Float32Array, limit: number): number[] {
    this.#products.ask(query)
    const near = this.#near
    this.#met.clear()
    near.clear(Math.max(EXPANSION, limit))
    this.#meet(graph, this.#descend(graph))
    for (let node = near.take(); node >= 0; node = near.take()) {
      const found = this.#unmet(graph, node)
      this.#compare(graph, found)
      for (let i = 0; i < found; i++) near.offer(this.#nodes[i]!, this.#products.likeness(i))
    }
    return near.best(limit)
  }

  keysOf({ view, places }: Graph, nodes: readonly number[]): number[] {
    const { room, shape, numbers } = this.#products
    return nodes.map((node) => {
      view.copy(places.keys + node * 8, 8, room, shape.spare)
      return numbers[0]!
    })
  }

  #meet(graph: Graph, node: number): void {
    this.#met.add(node)
    this.#nodes[0] = node
    this.#compare(graph, 1)
    this.#near.offer(node, this.#products.likeness(0))
  }

  /** The nearest node of level 1 that is reached by going to the nearest neighbour, level by level. */
  #descend(graph: Graph): number {
    let node = 0
    this.#nodes[0] = node
    this.#compare(graph, 1)
    let best = this.#products.likeness(0)
    for (let level = graph.shape.levels.length - 1; level > 0; level--) {
      for (let from = -1; from !== node; ) {
        from = node
        const found = this.#links(graph, level, from)
        this.#nodes.set(this.#products.words.subarray(0, found))
        this.#compare(graph, found)
        for (let i = 0; i < found; i++) {
          const likeness = this.#products.likeness(i)
          if (!(likeness > best)) continue
          best = likeness
          node = this.#nodes[i]!
        }
      }
    }
    return node
  }

  /** Puts the neighbours that were not met yet into `#nodes`; how many. */
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

  /** Puts a node's neighbours on a level into `words`; how many. */
  #links({ view, places, shape }: Graph, level: number, node: number): number {
    const { room, shape: at, words } = this.#products
    view.copy(places.starts[level]! + node * 4, 8, room, at.spare)
    const [start, end] = [words[0]!, words[1]!]
    if (start > end || end > shape.links) return 0
    const count = Math.min(end - start, MOST_ROWS)
    view.copy(places.links + start * 4, count * 4, room, at.spare)
    const nodes = shape.levels[level]!
    let kept = 0
    for (let i = 0; i < count; i++) if (words[i]! < nodes) words[kept++] = words[i]!
    return kept
  }

  #compare({ view }: Graph, count: number): void {
    const { room, shape } = this.#products
    view.gather(this.#nodes, count, shape.stride, room, shape.rows)
    this.#products.compare(count)
  }
}
