import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { entityRow, graphEntry, relationRow } from "../../../test/graph-rows.ts"
import type { KnowledgeGraph } from "./entities.ts"
import { type GraphChanges, GraphIndex } from "./graph-index.ts"
import { entityWalks, entryScores, type ScoreSeeds } from "./walk-graph.ts"

/** The ids of the entries that mention each entity, by the entity's name. */
function mentions(index: GraphIndex): Record<string, string[]> {
  const { entities, entries, mentionedBy } = index.graph()
  return Object.fromEntries(
    entities.map((one, number) => [
      `${one.project ?? ""}:${one.name}`,
      mentionedBy[number]!.map((entry) => entries[entry]!).sort(),
    ]),
  )
}

describe("entries and entities", () => {
  test("are linked by explicit mentions and by names in texts", () => {
    const index = new GraphIndex()
    index.apply({
      entities: [entityRow("1", "PostgreSQL", { aliases: ["pg"] })],
      entries: [
        graphEntry("a", "the orders live there", { entities: ["postgresql"] }),
        graphEntry("b", "postgresql 17 since May"),
        graphEntry("c", "our PG pool is of 20"),
        graphEntry("d", "nothing"),
      ],
    })
    expect(mentions(index)).toEqual({ ":PostgreSQL": ["a", "b"] })
    index.apply({ entities: [entityRow("1", "PostgreSQL", { aliases: ["PG"] })] })
    expect(mentions(index)).toEqual({ ":PostgreSQL": ["a", "b", "c"] })
  })

  test("use a project's own entity before that of all projects, and never another project's", () => {
    const index = new GraphIndex()
    index.apply({
      entities: [entityRow("1", "Gateway"), entityRow("2", "gateway", { project: "p" })],
      entries: ["p", "q", null].map((project) => graphEntry(`${project}`, "the gateway", { project })),
    })
    expect(mentions(index)).toEqual({ ":Gateway": ["null", "q"], "p:gateway": ["p"] })
  })

  test("keep all links after a merge; a purge removes the entry", () => {
    const index = new GraphIndex()
    index.apply({
      entities: [entityRow("1", "Postgres"), entityRow("2", "the database", { mergedInto: "1" })],
      entries: [graphEntry("a", "Postgres is up"), graphEntry("b", "", { entities: ["The Database"] })],
    })
    expect(mentions(index)).toEqual({ ":Postgres": ["a", "b"] })
    index.apply({ purged: ["a"] })
    expect(mentions(index)).toEqual({ ":Postgres": ["b"] })
  })
})

describe("PageRank", () => {
  const index = new GraphIndex()
  index.apply({
    entities: [entityRow("1", "Checkout"), entityRow("2", "Ledger"), entityRow("3", "Search")],
    relations: [relationRow("1", "2", { weight: 0.8 })],
    entries: [
      graphEntry("hit", "Checkout failed on Monday"),
      graphEntry("near", "Checkout is owned by Anna"),
      graphEntry("far", "the Ledger is frozen at midnight"),
      graphEntry("other", "Search was rebuilt"),
    ],
  })

  test("alone finds an entry two hops from a hit, above unlinked ones", () => {
    const scores = index.scores([["hit", 1]], "why did it fail", null)
    expect([...scores.keys()].sort()).toEqual(["far", "hit", "near"])
    expect(scores.get("near")!).toBeGreaterThan(scores.get("far")!)
    expect(scores.get("far")!).toBeGreaterThan(0.01)
  })

  test("starts from the entities that the question names, even without a hit", () => {
    const scores = index.scores([], "who owns the checkout?", null)
    expect(scores.get("near")).toBe(scores.get("hit")!)
    expect(scores.has("other")).toBe(false)
  })

  test("returns nothing when neither hits nor question are in the graph", () => {
    expect(index.scores([["unknown", 1]], "what", null).size).toBe(0)
    expect(new GraphIndex().scores([["hit", 1]], "checkout", null).size).toBe(0)
  })

  test("damps entries that mention everything", () => {
    const index = new GraphIndex()
    const names = ["Alpha", "Beta", "Gamma", "Delta"]
    index.apply({
      entities: names.map((name) => entityRow(name, name)),
      entries: [graphEntry("all", names.join(" and ")), graphEntry("one", "Alpha alone")],
    })
    const scores = index.scores([], "alpha", null)
    expect(scores.get("one")!).toBeGreaterThan(scores.get("all")!)
  })
})

test("entries added one by one get the same links as entries added at once", () => {
  const places = ["Alpha", "Beta", "Gamma", "Delta"]
  const texts = fc.array(
    fc.subarray(places).map((some) => some.join(" and ")),
    { minLength: 2, maxLength: 8 },
  )
  fc.assert(
    fc.property(texts, (texts) => {
      const entities = places.map((name) => entityRow(name, name))
      const entries = texts.map((text, i) => graphEntry(`m${i}`, text))
      const scoresOf = (index: GraphIndex) => index.scores([["m0", 1]], "Alpha", null)
      const [steps, once] = [new GraphIndex(), new GraphIndex()]
      steps.apply({ entities })
      for (const entry of entries) {
        steps.apply({ entries: [entry] })
        scoresOf(steps)
      }
      once.apply({ entities, entries })
      const [scores, expected] = [scoresOf(steps), scoresOf(once)]
      expect([...scores.keys()].sort()).toEqual([...expected.keys()].sort())
      for (const [id, score] of expected) expect(scores.get(id)).toBeCloseTo(score, 6)
    }),
  )
})

const ids = fc.constantFrom("1", "2", "3", "4")
const scopes = fc.constantFrom(null, "p")
const names = fc.constantFrom("Red", "RED", "Red Fox", "Fox", "Den")
const gone = fc.constantFrom(null, null, "2026-01-01T00:00:00.000Z")
const change: fc.Arbitrary<GraphChanges> = fc.oneof(
  fc
    .record({ project: scopes, mergedInto: fc.constantFrom(null, "e1", "e2"), deletedAt: gone })
    .chain((rest) =>
      fc.tuple(ids, names).map(([id, name]) => ({ entities: [entityRow(`e${id}`, name, rest)] })),
    ),
  fc
    .record({ project: scopes, entities: fc.array(names, { maxLength: 1 }), deletedAt: gone })
    .chain((rest) =>
      fc
        .tuple(ids, fc.array(names, { maxLength: 3 }))
        .map(([id, words]) => ({ entries: [graphEntry(`m${id}`, words.join(" "), rest)] })),
    ),
  fc
    .tuple(ids, ids, ids)
    .map(([id, from, to]) => ({ relations: [relationRow(`e${from}`, `e${to}`, { id: `r${id}` })] })),
  fc.tuple(fc.constantFrom("e", "m", "r"), ids).map(([kind, id]) => ({ purged: [`${kind}${id}`] })),
)

test("a graph updated step by step equals one built at once", () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
      const index = new GraphIndex()
      for (const [i, change] of changes.entries()) {
        index.apply(change)
        // Not after every step: several changes may come at once.
        if (i % 3 === 0) index.scores([["m1", 1]], "Fox", "p")
      }
      const anew = new GraphIndex()
      for (const change of changes) anew.apply(change)
      expect(index.graph().entities).toEqual(anew.graph().entities)
      expect(index.graph().relations).toEqual(anew.graph().relations)
      expect(mentions(index)).toEqual(mentions(anew))
      const [scores, expected] = [index, anew].map((each) => each.scores([["m1", 1]], "Fox", "p"))
      expect([...scores!.keys()].sort()).toEqual([...expected!.keys()].sort())
      for (const [id, score] of expected!) expect(scores!.get(id)).toBeCloseTo(score, 5)
    }),
    { numRuns: 300 },
  )
})

const ENTITIES = 20

/** A graph of entities e00, e01 … and of entries that mention some of them. */
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

/** The entities that each entry mentions. */
function mentionsIn({ entries, mentionedBy }: KnowledgeGraph): number[][] {
  return entries.map((_, entry) =>
    mentionedBy.flatMap((some, entity) => (some.includes(entry) ? [entity] : [])),
  )
}

function waysOf(graph: KnowledgeGraph): Ways {
  const { entities, edges, mentionedBy } = graph
  const ofEntities = entities.map((_, entity) => [
    ...edges[entity]!.map(({ other, relation }) => [other, relation.weight] as const),
    ...mentionedBy[entity]!.map((entry) => [entities.length + entry, 1] as const),
  ])
  return [
    ...ofEntities,
    ...mentionsIn(graph).map((mentioned) => mentioned.map((entity) => [entity, 1] as const)),
  ]
}

function walkOver(graph: KnowledgeGraph) {
  const { edges, entries } = graph
  return {
    walks: entityWalks(edges, mentionsIn(graph)),
    idOf: (entry: number) => entries[entry]!,
    numberOf: (id: string) => entries.indexOf(id),
  }
}

function stepOn(ways: Ways, walkers: Float64Array): Float64Array {
  const next = new Float64Array(walkers.length)
  for (const [from, mass] of walkers.entries()) {
    const sum = ways[from]!.reduce((total, [, weight]) => total + weight, 0)
    for (const [to, weight] of ways[from]!) if (sum > 0) next[to]! += (0.5 * mass * weight) / sum
  }
  return next
}

/** The scores of entryScores, computed plainly: 40 steps of the walk over all entities and entries. */
function stepByStep(graph: KnowledgeGraph, seeds: ScoreSeeds): Map<string, number> {
  const { entities, entries } = graph
  const mentions = mentionsIn(graph)
  const ways = waysOf(graph)
  const start = startOf(graph, seeds)
  const passed = start.slice()
  let walkers = start
  for (let step = 0; step < 40; step++) {
    walkers = stepOn(ways, walkers)
    for (const [node, mass] of walkers.entries()) passed[node]! += mass
  }
  const scores = entries.map((id, entry) => {
    const node = entities.length + entry
    return [id, (passed[node]! - start[node]!) / Math.sqrt(mentions[entry]!.length)] as const
  })
  return new Map(scores.filter(([, score]) => score > 1e-12))
}

function startOf({ entities, entries }: KnowledgeGraph, seeds: ScoreSeeds): Float64Array {
  const hits = [...seeds.entries].filter(([id, weight]) => entries.includes(id) && weight > 0)
  const sum = hits.reduce((total, [, weight]) => total + weight, 0)
  const start = new Float64Array(entities.length + entries.length)
  for (const [id, weight] of hits) start[entities.length + entries.indexOf(id)]! += weight / sum
  for (const entity of seeds.entities) start[entity]! += 1 / seeds.entities.length
  return start
}

const entity = fc.nat(ENTITIES - 1)
const weight = fc.constantFrom(0, 0.2, 0.7, 1)
const few = fc.uniqueArray(entity, { maxLength: 5 })
const many = fc.uniqueArray(entity, { minLength: 13 })

test("scores are those of a plain walk over all entities and entries", () => {
  const mentions = fc.array(fc.oneof({ weight: 4, arbitrary: few }, many), { maxLength: 12 })
  const ties = fc.array(fc.tuple(entity, entity, weight), { maxLength: 8 })
  const hits = fc.array(fc.tuple(fc.nat(11), fc.constantFrom(0, 0.5, 3)), { maxLength: 4 })
  const named = fc.uniqueArray(entity, { maxLength: 2 })
  fc.assert(
    fc.property(mentions, ties, hits, named, (mentions, ties, hits, named) => {
      const graph = graphOf(mentions, ties)
      const seeds = {
        entries: new Map(hits.map(([entry, weight]) => [`n${entry}`, weight])),
        entities: named,
      }
      const expected = stepByStep(graph, seeds)
      const found = entryScores(walkOver(graph), seeds, () => true)
      expect([...found.keys()].filter((id) => !expected.has(id))).toEqual([])
      const [greatest, scale] = [found, expected].map((scores) => Math.max(0, ...scores.values()))
      for (const [id, score] of expected)
        expect(Math.abs((found.get(id) ?? 0) / greatest! - score / scale!)).toBeLessThan(1e-4)
    }),
  )
})
