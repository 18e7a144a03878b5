import { expect, test } from "bun:test"
import fc from "fast-check"
import { entityRow, graphEntry, relationRow } from "../../../test/graph-rows.ts"
import { entryScores, type ScoreSeeds } from "./entry-scores.ts"
import { GraphIndex } from "./graph-index.ts"
import type { KnowledgeGraph } from "./knowledge-graph.ts"
import { entryWalk } from "./walk-graph.ts"

const ENTITIES = 20

/** Entities e0, e1 …; entries that mention some of them: of more than a dozen stays a node of the walk. */
function graphOf(
  mentions: readonly (readonly number[])[],
  ties: readonly (readonly [number, number, number])[],
): KnowledgeGraph {
  const index = new GraphIndex()
  const names = Array.from({ length: ENTITIES }, (_, i) => `Thing${i}`)
  index.apply({
    entities: names.map((name, i) => entityRow(`e${String(i).padStart(2, "0")}`, name)),
    relations: ties.map(([from, to, weight], i) =>
      relationRow(`e${String(from).padStart(2, "0")}`, `e${String(to).padStart(2, "0")}`, {
        id: `r${i}`,
        weight,
      }),
    ),
    entries: mentions.map((of, i) =>
      graphEntry(`n${i}`, "", { entities: of.map((entity) => names[entity]!) }),
    ),
  })
  return index.graph()
}

type Ways = readonly (readonly (readonly [to: number, weight: number])[])[]

function waysOf({ entities, edges, mentions, mentionedBy }: KnowledgeGraph): Ways {
  const ofEntities = entities.map((_, entity) => [
    ...edges[entity]!.map(({ other, relation }) => [other, relation.weight] as const),
    ...mentionedBy[entity]!.map((entry) => [entities.length + entry, 1] as const),
  ])
  return [...ofEntities, ...mentions.map((mentioned) => mentioned.map((entity) => [entity, 1] as const))]
}

function stepOn(ways: Ways, walkers: Float64Array): Float64Array {
  const next = new Float64Array(walkers.length)
  for (const [from, mass] of walkers.entries()) {
    const sum = ways[from]!.reduce((total, [, weight]) => total + weight, 0)
    for (const [to, weight] of ways[from]!) if (sum > 0) next[to]! += (0.5 * mass * weight) / sum
  }
  return next
}

/** Over entities and entries, as the equations say. */
function stepByStep(graph: KnowledgeGraph, seeds: ScoreSeeds): Map<string, number> {
  const { entities, entries, mentions } = graph
  const ways = waysOf(graph)
  const start = startOf(graph, seeds)
  const passed = start.slice()
  let walkers = start
  for (let step = 0; step < 40; step++) {
    walkers = stepOn(ways, walkers)
    for (const [node, mass] of walkers.entries()) passed[node]! += mass
  }
  const visits = passed.reduce((sum, mass) => sum + mass, 0)
  const scores = entries.map((id, entry) => {
    const node = entities.length + entry
    return [id, (passed[node]! - start[node]!) / visits / Math.sqrt(mentions[entry]!.length)] as const
  })
  return new Map(scores.filter(([, score]) => score > 1e-12))
}

function startOf({ entities, entries }: KnowledgeGraph, seeds: ScoreSeeds): Float64Array {
  const hits = [...seeds.entries].filter(([id, weight]) => entries.includes(id) && weight > 0)
  const parts = Number(hits.length > 0) + Number(seeds.entities.length > 0)
  const sum = hits.reduce((total, [, weight]) => total + weight, 0)
  const start = new Float64Array(entities.length + entries.length)
  for (const [id, weight] of hits) start[entities.length + entries.indexOf(id)]! += weight / sum / parts
  for (const entity of seeds.entities) start[entity]! += 1 / seeds.entities.length / parts
  return start
}

const entity = fc.nat(ENTITIES - 1)
const weight = fc.constantFrom(0, 0.2, 0.7, 1)
const few = fc.uniqueArray(entity, { maxLength: 5 })
const many = fc.uniqueArray(entity, { minLength: 13 })

test("folding entries away changes no score: it is that of walking step by step", () => {
  const mentions = fc.array(fc.oneof({ weight: 4, arbitrary: few }, many), { maxLength: 12 })
  const ties = fc.array(fc.tuple(entity, entity, weight), { maxLength: 8 })
  const hits = fc.array(fc.tuple(fc.nat(11), fc.constantFrom(0, 0.5, 3)), { maxLength: 4 })
  const named = fc.uniqueArray(entity, { maxLength: 2 })
  fc.assert(
    fc.property(mentions, ties, hits, named, (mentions, ties, hits, named) => {
      const graph = graphOf(mentions, ties)
      const numbers = new Map(graph.entries.map((id, number) => [id, number]))
      const seeds = {
        entries: new Map(hits.map(([entry, weight]) => [`n${entry}`, weight])),
        entities: named,
      }
      const expected = stepByStep(graph, seeds)
      const found = entryScores(graph, entryWalk(graph), numbers, seeds, () => true)
      expect([...found.values()].every(Number.isFinite)).toBe(true)
      expect([...found.keys()].sort()).toEqual([...expected.keys()].sort())
      for (const [id, score] of expected) expect(Math.abs(found.get(id)! - score)).toBeLessThan(1e-6)
    }),
  )
})
