import type { WalkGraph } from "../../base/pagerank.ts"
import type { Edge, KnownEntities } from "./entities.ts"

/** The entities that entry i mentions are `mentioned[first[i]]` to `mentioned[first[i + 1] - 1]`. */
export type MentionRows = { readonly first: Int32Array; readonly mentioned: Int32Array }

/**
 * A random walk over entities and entries in both directions of every edge, with small entries folded into
 * ties between entities.
 */
export type EntryWalk = MentionRows & {
  /** Tolerance of the walk, smaller than a difference between scores that matters. */
  readonly tolerance: number
  /** Nodes: entities by their numbers, then wide entries. A tie is the probability of going there next. */
  readonly ties: WalkGraph
  /** Indexed by entity: the probability that a walk goes on to any one of the entity's entries. */
  readonly toEntry: Float64Array
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
type FormerWalk = { readonly walk: EntryWalk; readonly isSame: (entity: number) => boolean }

/** Builds the walk. Unchanged ties are copied from the former walk. */
export function entryWalk(
  edges: KnownEntities["edges"],
  mentions: MentionRows,
  former: FormerWalk | null = null,
): EntryWalk {
  const { first, mentioned } = mentions
  const wide = wideEntries(first, edges.length)
  const by = mentionedBy(mentions, edges.length)
  const toEntry = Float64Array.from(edges, (own, entity) => {
    const weight = totalEdgeWeight(own, by.first[entity + 1]! - by.first[entity]!)
    return weight === 0 ? 0 : (DAMPING * MENTION) / weight
  })
  const rows = new TieRows(edges.length + wide.size)
  for (const entity of edges.keys()) {
    if (former?.isSame(entity)) {
      rows.take(former.walk.ties, entity)
      continue
    }
    const each = toEntry[entity]! / MENTION
    for (const { other, relation } of edges[entity]!) rows.add(other, each * relation.weight)
    for (let at = by.first[entity]!; at < by.first[entity + 1]!; at++) {
      const entry = by.entries[at]!
      const node = wide.get(entry)
      if (node !== undefined) rows.add(node, each)
      else addAll(rows, mentions, entry, each)
    }
    rows.end()
  }
  for (const entry of wide.keys()) {
    addAll(rows, mentions, entry, 1)
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

/** The entries that mention entity i are `entries[first[i]]` to `entries[first[i + 1] - 1]`, in ascending order. */
function mentionedBy({ first, mentioned }: MentionRows, entityCount: number) {
  const starts = new Int32Array(entityCount + 1)
  for (const entity of mentioned) starts[entity + 1]!++
  for (let entity = 0; entity < entityCount; entity++) starts[entity + 1]! += starts[entity]!
  const next = starts.slice()
  const entries = new Int32Array(mentioned.length)
  for (let entry = 0; entry + 1 < first.length; entry++)
    for (let at = first[entry]!; at < first[entry + 1]!; at++) entries[next[mentioned[at]!]!++] = entry
  return { first: starts, entries }
}

/** Sum of the weights of all edges of an entity. `mentions`: number of entries that mention it. */
function totalEdgeWeight(edges: readonly Edge[], mentions: number): number {
  let sum = mentions * MENTION
  for (const { relation } of edges) sum += relation.weight
  return sum
}

/** Adds the ties to the entities of an entry that is reached with the probability `chance`. */
function addAll(rows: TieRows, { first, mentioned }: MentionRows, entry: number, chance: number): void {
  const [from, end] = [first[entry]!, first[entry + 1]!]
  for (let at = from; at < end; at++) rows.add(mentioned[at]!, (chance * DAMPING) / (end - from))
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
