import type { WalkGraph } from "../../base/pagerank.ts"
import type { KnowledgeGraph } from "./knowledge-graph.ts"

/** A walk over entities and entries, every edge both ways, with the entries folded away. */
export type EntryWalk = {
  /** Of the walk: a tolerance below what tells two scores apart. */
  readonly tolerance: number
  /** Entities by their numbers, then wide entries; a tie is the chance of passing there next. */
  readonly ties: WalkGraph
  /** By entity: the chance of going on from it to any one of its entries. */
  readonly toEntry: Float64Array
  /** By entry: its entities are [first, first of the next) of `mentioned`. */
  readonly first: Int32Array
  readonly mentioned: Int32Array
  /** By entry: √ of how many entities it speaks of. */
  readonly breadth: Float64Array
  /** A number for each entry, to work with. */
  readonly scores: Float64Array
  /** Nodes of the entries that have one of their own. */
  readonly wide: ReadonlyMap<number, number>
}

/** The chance of going on at each step. */
export const DAMPING = 0.5
const TOLERANCE = 1e-6
/** An entry's tie to an entity weighs as much as the strongest relation. */
const MENTION = 1
/**
 * An entry leads to entities alone, so that one of k of them comes to k² ties between those: a quarter of the work of a
 * step there and one back, where k is small. One of more stays a node.
 */
const MOST_FOLDED = 12

/** A walk over the graph before entries were added to it, and whether none of those speaks of an entity. */
export type FormerWalk = { readonly walk: EntryWalk; readonly isSame: (entity: number) => boolean }

/** Ties that are as they were are taken over from the former walk. */
export function entryWalk(graph: KnowledgeGraph, former: FormerWalk | null = null): EntryWalk {
  const { entities, mentions } = graph
  const wide = new Map<number, number>()
  for (const [entry, { length }] of mentions.entries())
    if (length > MOST_FOLDED) wide.set(entry, entities.length + wide.size)
  const toEntry = Float64Array.from(entities, (_, entity) => {
    const weight = weightOf(graph, entity)
    return weight === 0 ? 0 : (DAMPING * MENTION) / weight
  })
  const rows = new Rows(entities.length + wide.size)
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
  const scores = new Float64Array(mentions.length)
  const breadth = Float64Array.from(mentions, ({ length }) => Math.sqrt(length))
  return { tolerance: TOLERANCE, ties: rows.graph(), toEntry, wide, breadth, scores, ...inOneRow(mentions) }
}

function inOneRow(mentions: KnowledgeGraph["mentions"]): Pick<EntryWalk, "first" | "mentioned"> {
  const first = new Int32Array(mentions.length + 1)
  for (const [entry, { length }] of mentions.entries()) first[entry + 1] = first[entry]! + length
  const mentioned = new Int32Array(first[mentions.length]!)
  for (const [entry, entities] of mentions.entries()) mentioned.set(entities, first[entry]!)
  return { first, mentioned }
}

/** Of all its edges. */
function weightOf({ edges, mentionedBy }: KnowledgeGraph, entity: number): number {
  let sum = mentionedBy[entity]!.length * MENTION
  for (const { relation } of edges[entity]!) sum += relation.weight
  return sum
}

/** On from an entry that is reached with this chance. */
function addAll(rows: Rows, entities: readonly number[], chance: number): void {
  for (const entity of entities) rows.add(entity, (chance * DAMPING) / entities.length)
}

/** Collects the ties of one node after the other; several to the same node are one. */
class Rows {
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

  /** What weighs nothing is no way. */
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

  /** The next row is that of a node of another graph. */
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
