import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { type GraphChanges, type GraphEntry, GraphIndex } from "./graph-index.ts"
import type { FoldedEntity, FoldedRelation } from "./settled-graph.ts"

function entry(id: string, text: string, rest: Partial<GraphEntry> = {}): GraphEntry {
  return { id, text, project: null, entities: [], deletedAt: null, ...rest }
}

function entity(id: string, name: string, rest: Partial<FoldedEntity> = {}): FoldedEntity {
  const empty = { project: null, type: "", description: "", aliases: [], metadata: {} }
  return { id, name, ...empty, mergedInto: null, deletedAt: null, ...rest }
}

function relation(id: string, from: string, to: string, weight = 1): FoldedRelation {
  return { id, from, to, relation: "uses", weight, deletedAt: null }
}

/** By name: the entries that speak of each entity. */
function mentions(index: GraphIndex): Record<string, string[]> {
  const { entities, entries, mentionedBy } = index.graph()
  return Object.fromEntries(
    entities.map((one, number) => [
      `${one.project ?? ""}:${one.name}`,
      mentionedBy[number]!.map((entry) => entries[entry]!).sort(),
    ]),
  )
}

describe("memories and entities", () => {
  test("are tied by mention and by name", () => {
    const index = new GraphIndex()
    index.apply({
      entities: [entity("1", "PostgreSQL", { aliases: ["pg"] })],
      entries: [
        entry("a", "the orders live there", { entities: ["postgresql"] }),
        entry("b", "postgresql 17 since May"),
        entry("c", "our PG pool is of 20"),
        entry("d", "nothing"),
      ],
    })
    expect(mentions(index)).toEqual({ ":PostgreSQL": ["a", "b"] })
    index.apply({ entities: [entity("1", "PostgreSQL", { aliases: ["PG"] })] })
    expect(mentions(index)).toEqual({ ":PostgreSQL": ["a", "b", "c"] })
  })

  test("an entity that is only mentioned is there as long as it is", () => {
    const index = new GraphIndex()
    index.apply({ entries: [entry("a", "", { entities: ["Kafka"] }), entry("b", "kafka lags")] })
    expect(mentions(index)).toEqual({ ":Kafka": ["a", "b"] })
    index.apply({ entries: [entry("a", "", { entities: ["Kafka"], deletedAt: "2026-01-01T00:00:00.000Z" })] })
    expect(mentions(index)).toEqual({})
  })

  test("a project's entity shadows the one of all; another project does not see it", () => {
    const index = new GraphIndex()
    index.apply({
      entities: [entity("1", "Gateway"), entity("2", "gateway", { project: "p" })],
      entries: ["p", "q", null].map((project) => entry(`${project}`, "the gateway", { project })),
    })
    expect(mentions(index)).toEqual({ ":Gateway": ["null", "q"], "p:gateway": ["p"] })
  })

  test("a merge keeps all of them; a purge takes the entry", () => {
    const index = new GraphIndex()
    index.apply({
      entities: [entity("1", "Postgres"), entity("2", "the database", { mergedInto: "1" })],
      entries: [entry("a", "Postgres is up"), entry("b", "", { entities: ["The Database"] })],
    })
    expect(mentions(index)).toEqual({ ":Postgres": ["a", "b"] })
    index.apply({ removed: ["a"] })
    expect(mentions(index)).toEqual({ ":Postgres": ["b"] })
  })
})

describe("PageRank", () => {
  const index = new GraphIndex()
  index.apply({
    entities: [entity("1", "Checkout"), entity("2", "Ledger"), entity("3", "Search")],
    relations: [relation("r", "1", "2", 0.8)],
    entries: [
      entry("hit", "Checkout failed on Monday"),
      entry("near", "Checkout is owned by Anna"),
      entry("far", "the Ledger is frozen at midnight"),
      entry("other", "Search was rebuilt"),
    ],
  })

  test("alone lifts what is two hops away from a hit, above what is not tied to it", () => {
    const scores = index.scores([["hit", 1]], "why did it fail", null)
    expect([...scores.keys()].sort()).toEqual(["far", "hit", "near"])
    expect(scores.get("near")!).toBeGreaterThan(scores.get("far")!)
    expect(scores.get("far")!).toBeGreaterThan(0.01)
  })

  test("starts from what the question names, without a hit", () => {
    const scores = index.scores([], "who owns the checkout?", null)
    expect(scores.get("near")).toBe(scores.get("hit")!)
    expect(scores.has("other")).toBe(false)
  })

  test("is silent where nothing leads into the graph", () => {
    expect(index.scores([["unknown", 1]], "what", null).size).toBe(0)
    expect(new GraphIndex().scores([["hit", 1]], "checkout", null).size).toBe(0)
  })

  test("what speaks of everything is damped", () => {
    const index = new GraphIndex()
    const names = ["Alpha", "Beta", "Gamma", "Delta"]
    index.apply({
      entities: names.map((name) => entity(name, name)),
      entries: [entry("all", names.join(" and ")), entry("one", "Alpha alone")],
    })
    const scores = index.scores([], "alpha", null)
    expect(scores.get("one")!).toBeGreaterThan(scores.get("all")!)
  })
})

const ids = fc.constantFrom("1", "2", "3", "4")
const scopes = fc.constantFrom(null, "p")
const names = fc.constantFrom("Red", "RED", "Red Fox", "Fox", "Den")
const gone = fc.constantFrom(null, null, "2026-01-01T00:00:00.000Z")
const change: fc.Arbitrary<GraphChanges> = fc.oneof(
  fc
    .record({ project: scopes, mergedInto: fc.constantFrom(null, "e1", "e2"), deletedAt: gone })
    .chain((rest) =>
      fc.tuple(ids, names).map(([id, name]) => ({ entities: [entity(`e${id}`, name, rest)] })),
    ),
  fc
    .record({ project: scopes, entities: fc.array(names, { maxLength: 1 }), deletedAt: gone })
    .chain((rest) =>
      fc
        .tuple(ids, fc.array(names, { maxLength: 3 }))
        .map(([id, words]) => ({ entries: [entry(`m${id}`, words.join(" "), rest)] })),
    ),
  fc
    .tuple(ids, ids, ids)
    .map(([id, from, to]) => ({ relations: [relation(`r${id}`, `e${from}`, `e${to}`)] })),
  fc.tuple(fc.constantFrom("e", "m", "r"), ids).map(([kind, id]) => ({ removed: [`${kind}${id}`] })),
)

test("kept current step by step is the same as made at once", () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
      const index = new GraphIndex()
      for (const [i, change] of changes.entries()) {
        index.apply(change)
        // Not after every step: several changes may come at once.
        if (i % 3 === 0) index.graph()
      }
      const anew = new GraphIndex()
      for (const change of changes) anew.apply(change)
      expect(index.graph().entities).toEqual(anew.graph().entities)
      expect(index.graph().relations).toEqual(anew.graph().relations)
      expect(mentions(index)).toEqual(mentions(anew))
    }),
    { numRuns: 300 },
  )
})
