import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { entityRow, graphEntry, relationRow } from "../../../test/graph-rows.ts"
import type { KnowledgeGraph } from "./entities.ts"
import { GraphIndex } from "./graph-index.ts"
import { findEntity, listEntities, related, shortestPath } from "./graph-questions.ts"

type Tie = readonly [from: string, to: string, weight?: number, relation?: string]

/** A graph with these ties between entities, whose names are their ids. */
function graphOf(ties: readonly Tie[], texts: Readonly<Record<string, string>> = {}): KnowledgeGraph {
  const index = new GraphIndex()
  const ids = [...new Set(ties.flatMap((tie) => [tie[0], tie[1]]))]
  index.apply({
    entities: ids.map((id) => entityRow(id, id)),
    relations: ties.map(([from, to, weight = 1, relation = "uses"], i) =>
      relationRow(from, to, { id: `r${i}`, weight, relation }),
    ),
    entries: Object.entries(texts).map(([id, text]) => graphEntry(id, text)),
  })
  return index.graph()
}

describe("related", () => {
  const graph = graphOf(
    [
      ["api", "database"],
      ["web", "api"],
      ["database", "disk", 0.5],
      ["api", "cache", 0.2, "owns"],
    ],
    { one: "the api", two: "the disk of the database", three: "the web" },
  )
  const names = (options: Parameters<typeof related>[2]): string[] =>
    related(graph, findEntity(graph, "api", null), options).entities.map(({ entity }) => entity.name)

  test("follows relations to the given depth, in the given direction and of the given types", () => {
    // The database comes before the web because it has more ties, and the cache comes last because its tie is weak.
    expect(names({})).toEqual(["api", "web", "database", "cache"])
    expect(names({ direction: "outgoing" })).toEqual(["api", "database", "cache"])
    expect(names({ direction: "incoming" })).toEqual(["api", "web"])
    expect(names({ types: ["OWNS"] })).toEqual(["api", "cache"])
    expect(names({ depth: 2, direction: "outgoing" })).toEqual(["api", "database", "cache", "disk"])
  })

  test("returns the entries that mention the entities, those of the nearest first", () => {
    const found = related(graph, findEntity(graph, "API", null), { depth: 5 })
    expect(found.entries).toEqual(["one", "three", "two"])
    expect(
      found.entities.map(({ entity, distance, entries }) => [entity.name, distance, entries]),
    ).toContainEqual(["disk", 2, 1])
    expect(related(graph, 0, { depth: 5, accepts: (id) => id === "two" }).entries).toEqual(["two"])
  })

  test("returns the hundred most informative neighbours of a hub, and reports that there are more", () => {
    const spokes = Array.from({ length: 150 }, (_, i): Tie => ["hub", `spoke${i}`, i / 150])
    const star = graphOf(spokes)
    const found = related(star, findEntity(star, "hub", null), { depth: 2 })
    expect(found.entities.length).toBe(101)
    expect(found.entities[1]!.entity.name).toBe("spoke149")
    expect(found.truncated).toBe(true)
    expect(related(star, findEntity(star, "spoke3", null)).truncated).toBe(false)
  })
})

test("an entity is found by name, alias or id; the error for an unknown name suggests a similar one", () => {
  const index = new GraphIndex()
  index.apply({
    entities: [entityRow("e1", "Postgres", { aliases: ["pg"] }), entityRow("e2", "Own", { project: "p" })],
  })
  const graph = index.graph()
  expect(["POSTGRES", "pg", "e1"].map((name) => findEntity(graph, name, null))).toEqual([0, 0, 0])
  expect(findEntity(graph, "own", "p")).toBe(1)
  expect(() => findEntity(graph, "own", "q")).toThrow('no entity "own"')
  expect(() => findEntity(graph, "Postgers", null)).toThrow(
    expect.objectContaining({ hint: "did you mean Postgres?" }),
  )
})

describe("the shortest path", () => {
  test("is the strongest of those with the fewest relations", () => {
    const graph = graphOf([
      ["a", "b", 0.5],
      ["b", "d", 0.5],
      ["a", "c", 0.9],
      ["c", "d", 0.9],
      ["a", "e"],
      ["e", "f"],
      ["f", "d"],
    ])
    expect(route(graph, "a", "d")).toBe("a c d")
    expect(route(graph, "d", "a", { direction: "outgoing" })).toBeNull()
    expect(route(graph, "a", "a")).toBeNull()
  })

  test("uses the strongest of several relations between two entities", () => {
    const graph = graphOf([["a", "b", 0.1, "knows"], ["b", "a", 0.9, "owns"]]) // biome-ignore format: short
    expect(shortestPath(graph, 0, 1)!.relations).toMatchObject([{ relation: "owns" }])
  })

  const tie = fc.tuple(
    fc.constantFrom(..."abcdef"),
    fc.constantFrom(..."abcdef"),
    fc.constantFrom(0.25, 0.5, 1),
  )

  test("is the first of all possible paths on any graph", () => {
    fc.assert(
      fc.property(fc.array(tie, { minLength: 1, maxLength: 10 }), (ties) => {
        const graph = graphOf(ties)
        const to = graph.entities.length - 1
        const cost = ({ relations }: { relations: readonly { weight: number }[] }): number =>
          relations.length + relations.reduce((sum, { weight }) => sum + 1 - weight, 0) / 100
        const found = shortestPath(graph, 0, to)
        const [least] = everyPath(graph, 0, to)
          .map(cost)
          .sort((one, other) => one - other)
        expect(found && cost(found)).toBe(least ?? null)
      }),
    )
  })
})

test("entities are listed with their numbers of entries, filtered and in pages", () => {
  const index = new GraphIndex()
  index.apply({
    entities: [
      entityRow("1", "Redis", { type: "Tool", description: "a cache" }),
      entityRow("2", "Ann", { type: "person", aliases: ["Annie"] }),
      entityRow("3", "Lost", { project: "p" }),
    ],
    relations: [relationRow("2", "1")],
    entries: [graphEntry("a", "Ann"), graphEntry("b", "annie and Redis")],
  })
  const list = (filter: Parameters<typeof listEntities>[1]): unknown => {
    const { entities, total } = listEntities(index.graph(), filter)
    return [
      total,
      ...entities.map(({ entity, entries, relations }) => `${entity.name} ${entries} ${relations}`),
    ]
  }
  expect(list({})).toEqual([3, "Ann 2 1", "Redis 1 1", "Lost 0 0"])
  expect(list({ type: "tool" })).toEqual([1, "Redis 1 1"])
  expect(list({ text: "CACHE" })).toEqual([1, "Redis 1 1"])
  expect(list({ projects: [null] })).toEqual([2, "Ann 2 1", "Redis 1 1"])
  expect(list({ limit: 1, offset: 1 })).toEqual([3, "Redis 1 1"])
})

function route(
  graph: KnowledgeGraph,
  from: string,
  to: string,
  choice?: Parameters<typeof shortestPath>[3],
): string | null {
  const found = shortestPath(graph, findEntity(graph, from, null), findEntity(graph, to, null), choice)
  return found?.entities.map(({ name }) => name).join(" ") ?? null
}

/**
 * All paths between two entities, found by trying every edge; of several relations between two entities, the
 * strongest.
 */
function everyPath(graph: KnowledgeGraph, from: number, to: number): { relations: { weight: number }[] }[] {
  const found: { relations: { weight: number }[] }[] = []
  const go = (passed: number[], relations: { weight: number }[]): void => {
    const here = passed.at(-1)!
    if (here === to && passed.length > 1) found.push({ relations })
    if (here === to) return
    const others = new Set(graph.edges[here]!.map(({ other }) => other))
    for (const other of others) {
      if (passed.includes(other)) continue
      const tied = graph.edges[here]!.filter((edge) => edge.other === other).map(({ relation }) => relation)
      go(
        [...passed, other],
        [...relations, tied.reduce((best, one) => (one.weight > best.weight ? one : best))],
      )
    }
  }
  go([from], [])
  return found
}
