import type { WalkGraph } from "../../../base/pagerank.ts"
import type { KnowledgeGraph } from "./knowledge-graph.ts"

/**
 * A random walk over entities and entries in both directions of every edge, with small entries folded into
 * ties between entities.
 */
export type EntryWalk = {
  /** Tolerance of the walk, smaller than a difference between scores that matters. */
  readonly tolerance: number
  /** Nodes: entities by their numbers, then wide entries. A tie is the probability of going there next. */
  readonly ties: WalkGraph
  /** Indexed by entity: the probability that a walk goes on to any one of the entity's entries. */
  readonly toEntry: Float64Array
  /** The entities that entry i mentions are `mentioned[first[i]]` to `mentioned[first[i + 1] - 1]`. */
  readonly first: Int32Array
  readonly mentioned: Int32Array
  /** Indexed by entry: √(number of entities that the entry mentions). */
  readonly breadth: Float64Array
  /** Working memory: a number for each entry. */
  readonly scores: Float64Array
  /** The node of each wide entry (one that mentions more than MAX_FOLDED entities), by the number of the entry. */
  readonly wide: ReadonlyMap<number, number>
}

/** The probability of continuing at each step. */
export const DAMPING = 0.5

const TOLERANCE = 1e-6
/** Weight of the tie between an entry and an entity that it mentions; it equals that of the strongest relation. */
const MENTION = 1
/**
 * Maximum number of entities of an entry that is folded. The edges of an entry lead only to entities, so an entry with
 * k entities can be replaced by k² ties between them. For small k, following the ties is a quarter of the work of two
 * steps over the entry. A larger entry stays a node.
 */
const MAX_FOLDED = 12

/**
 * A walk over the graph before entries were added; `isSame` is true for entities that no added entry
 * mentions.
 */
export type FormerWalk = { readonly walk: EntryWalk; readonly isSame: (entity: number) => boolean }

/** Builds the walk. Unchanged ties are copied from the former walk. */
export function entryWalk(graph: KnowledgeGraph, former: FormerWalk | null = null): EntryWalk {
  const { entities, mentions } = graph
  const { first, mentioned } = inOneRow(mentions)
  const wide = wideEntries(first, entities.length)
  const toEntry = Float64Array.from(entities, (_, entity) => {
    const weight = totalEdgeWeight(graph, entity)
    return weight === 0 ? 0 : (DAMPING * MENTION) / weight
  })
  const rows = new TieRows(entities.length + wide.size)
  for (const entity of entities.keys()) {
    if (former?.isSame(entity)) {
      rows.take(former.walk.ties, entity)
      continue
    }
    const each = toEntry[entity]! / MENTION
    for (const { other, relation } of graph.edges[entity]!) rows.add(other, each * relation.weight)
    for (const entry of graph.mentionedBy[entity]!) {
      const node = wide.get(entry)
      if (node !== undefined) rows.add(node, each)
      else addAll(rows, mentions[entry]!, each)
    }
    rows.end()
  }
  for (const entry of wide.keys()) {
    addAll(rows, mentions[entry]!, 1)
    rows.end()
  }
  return walkFrom(rows.graph(), toEntry, first, mentioned, TOLERANCE)
}

/** The walk with these ties and mentions; everything else follows from them. */
export function walkFrom(
  ties: WalkGraph,
  toEntry: Float64Array,
  first: Int32Array,
  mentioned: Int32Array,
  tolerance: number,
): EntryWalk {
  const breadth = new Float64Array(first.length - 1)
  for (let entry = 0; entry < breadth.length; entry++)
    breadth[entry] = Math.sqrt(first[entry + 1]! - first[entry]!)
  const scores = new Float64Array(breadth.length)
  const wide = wideEntries(first, toEntry.length)
  return { tolerance, ties, toEntry, first, mentioned, breadth, scores, wide }
}

/** Nodes of the entries that are not folded, by entry. */
function wideEntries(first: Int32Array, entityCount: number): Map<number, number> {
  const wide = new Map<number, number>()
  for (let entry = 0; entry + 1 < first.length; entry++)
    if (first[entry + 1]! - first[entry]! > MAX_FOLDED) wide.set(entry, entityCount + wide.size)
  return wide
}

function inOneRow(mentions: KnowledgeGraph["mentions"]): Pick<EntryWalk, "first" | "mentioned"> {
  const first = new Int32Array(mentions.length + 1)
  for (const [entry, { length }] of mentions.entries()) first[entry + 1] = first[entry]! + length
  const mentioned = new Int32Array(first[mentions.length]!)
  for (const [entry, entities] of mentions.entries()) mentioned.set(entities, first[entry]!)
  return { first, mentioned }
}

/** Sum of the weights of all edges of an entity. */
function totalEdgeWeight({ edges, mentionedBy }: KnowledgeGraph, entity: number): number {
  let sum = mentionedBy[entity]!.length * MENTION
  for (const { relation } of edges[entity]!) sum += relation.weight
  return sum
}

/** Adds the ties to the entities of an entry that is reached with the probability `chance`. */
function addAll(rows: TieRows, entities: readonly number[], chance: number): void {
  for (const entity of entities) rows.add(entity, (chance * DAMPING) / entities.length)
}

/** Collects the ties node by node; several ties to the same node are added up. */
class TieRows {
  readonly #size: number
  readonly #shares: Float64Array
  #row: number[] = []
  readonly #first: number[] = [0]
  readonly #target: number[] = []
  readonly #share: number[] = []

  constructor(size: number) {
    this.#size = size
    this.#shares = new Float64Array(size)
  }

  /** A tie with share 0 is ignored. */
  add(node: number, share: number): void {
    if (share === 0) return
    if (this.#shares[node] === 0) this.#row.push(node)
    this.#shares[node]! += share
  }

  end(): void {
    for (const node of this.#row) {
      this.#target.push(node)
      this.#share.push(this.#shares[node]!)
      this.#shares[node] = 0
    }
    this.#first.push(this.#target.length)
    this.#row = []
  }

  /** Copies a node's row of another graph as the next row. */
  take({ first, target, share }: WalkGraph, node: number): void {
    for (let at = first[node]!; at < first[node + 1]!; at++) {
      this.#target.push(target[at]!)
      this.#share.push(share[at]!)
    }
    this.#first.push(this.#target.length)
  }

  graph(): WalkGraph {
    return {
      size: this.#size,
      first: Int32Array.from(this.#first),
      target: Int32Array.from(this.#target),
      share: Float64Array.from(this.#share),
    }
  }
}
