import type { WalkGraph } from "../../base/pagerank.ts"
import type { KnowledgeGraph } from "./knowledge-graph.ts"

/** An entry's tie to an entity weighs as much as the strongest relation. */
const MENTION = 1

/** Entities first, then entries, by their numbers; every edge both ways. */
export function walkGraph(graph: KnowledgeGraph): WalkGraph {
  const { entities, entries, edges, mentions, mentionedBy } = graph
  const size = entities.length + entries.length
  const count = sum(edges) + sum(mentions) * 2
  const rows: Rows = {
    first: new Int32Array(size + 1),
    target: new Int32Array(count),
    share: new Float64Array(count),
  }
  let end = 0
  for (let node = 0; node < size; node++) {
    const start = end
    if (node < entities.length) {
      for (const { other, relation } of edges[node]!) end = put(rows, end, other, relation.weight)
      for (const entry of mentionedBy[node]!) end = put(rows, end, entities.length + entry, MENTION)
    } else {
      for (const entity of mentions[node - entities.length]!) end = put(rows, end, entity, MENTION)
    }
    normalize(rows.share, start, end)
    rows.first[node + 1] = end
  }
  return { size, ...rows }
}

type Rows = { readonly first: Int32Array; readonly target: Int32Array; readonly share: Float64Array }

/** What weighs nothing is no way. */
function put({ target, share }: Rows, end: number, node: number, weight: number): number {
  if (weight === 0) return end
  target[end] = node
  share[end] = weight
  return end + 1
}

function normalize(share: Float64Array, start: number, end: number): void {
  let total = 0
  for (let at = start; at < end; at++) total += share[at]!
  for (let at = start; at < end; at++) share[at]! /= total
}

function sum(rows: readonly (readonly unknown[])[]): number {
  return rows.reduce((total, row) => total + row.length, 0)
}
